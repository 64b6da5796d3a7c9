// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the tuples of `_plan.py` to a plan.

#include "Plan.h"

using namespace mlir::qdq::python;

unsigned Slot::countDynamic() const {
  unsigned count = 0;
  for (npy_intp size : shape)
    count += size < 0;
  return count;
}

static size_t countWords(const Slot &slot) {
  // A descriptor and the pointer to it, sizes beside bytes, and one scalar; the
  // shape of a result.
  return 3 + 2 * slot.getRank() + 1 + slot.countDynamic() + 1 +
         slot.shape.size();
}

static void count(Plan &plan) {
  plan.numTold = 1;
  plan.numPointers = plan.results.size() + 1;
  for (const Slot &slot : plan.results) {
    unsigned dynamic = slot.countDynamic();
    plan.numTold += slot.isTold ? 1 : dynamic + (slot.isPacked && dynamic);
    plan.numWords += countWords(slot);
  }
  for (const Slot &slot : plan.arguments) {
    plan.numPointers += 1 + slot.countDynamic();
    plan.numWords += countWords(slot);
  }
  plan.numWords += plan.numTold + 6;
}

static bool readSlot(PyObject *description, Slot &slot) {
  PyObject *dtype, *shape, *fromNumber;
  int isTensor, isPacked, isInteger, isSigned, isNarrowed, isTold, isWritten;
  if (!PyArg_ParseTuple(description, "O!IO!pppppppO", &PyArrayDescr_Type,
                        &dtype, &slot.bits, &PyTuple_Type, &shape, &isTensor,
                        &isPacked, &isInteger, &isSigned, &isNarrowed, &isTold,
                        &isWritten, &fromNumber))
    return false;
  slot.dtype = share(dtype);
  slot.fromNumber = share(fromNumber);
  slot.isTensor = isTensor;
  slot.isPacked = isPacked;
  slot.isInteger = isInteger;
  slot.isSigned = isSigned;
  slot.isNarrowed = isNarrowed;
  slot.isTold = isTold;
  slot.isWritten = isWritten;
  for (Py_ssize_t dim = 0; dim < PyTuple_GET_SIZE(shape); ++dim) {
    Py_ssize_t size = PyLong_AsSsize_t(PyTuple_GET_ITEM(shape, dim));
    if (size == -1 && PyErr_Occurred())
      return false;
    slot.shape.push_back(size);
  }
  if (slot.shape.size() <= NPY_MAXDIMS && slot.getItemSize() <= 8)
    return true;
  PyErr_SetString(PyExc_ValueError, "no array has so many dimensions");
  return false;
}

static bool readSlots(PyObject *descriptions, std::vector<Slot> &slots) {
  slots.resize(PyTuple_GET_SIZE(descriptions));
  for (size_t k = 0; k < slots.size(); ++k)
    if (!readSlot(PyTuple_GET_ITEM(descriptions, k), slots[k]))
      return false;
  return true;
}

std::unique_ptr<Plan> mlir::qdq::python::readPlan(PyObject *description) {
  auto plan = std::make_unique<Plan>();
  unsigned long long code, companion;
  PyObject *packedType, *arguments, *results;
  if (!PyArg_ParseTuple(description, "KKO!O!O!", &code, &companion,
                        &PyType_Type, &packedType, &PyTuple_Type, &arguments,
                        &PyTuple_Type, &results) ||
      !readSlots(arguments, plan->arguments) ||
      !readSlots(results, plan->results))
    return nullptr;
  plan->code = reinterpret_cast<Code>(code);
  plan->companion = reinterpret_cast<Code>(companion);
  plan->packedType = share(packedType);
  count(*plan);
  return plan;
}
