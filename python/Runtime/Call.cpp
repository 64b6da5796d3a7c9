// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One call of compiled code with NumPy arrays, if it is a usual one.

#include "Call.h"
#include "Assertion.h"
#include "BitPacking.h"
#include "Room.h"
#include "Scalar.h"

#include <chrono>
#include <cstring>

using namespace mlir::qdq::python;

namespace {
/// Memory of the caller that compiled code sees.
struct Range {
  const char *begin, *end;
  bool isWritten;

  bool overlaps(const Range &other) const {
    // NumPy's rule: without elements there is nothing to share.
    return begin != end && other.begin != other.end && begin < other.end &&
           other.begin < end;
  }
};

/// One result in one call.
struct Destination {
  Owned given;               // from `out`, or null
  Owned made;                // the new array
  npy_intp *shape = nullptr; // complete
  int64_t *word = nullptr;   // of a scalar
  uint8_t *packed = nullptr; // bytes to unpack
};

class Call {
public:
  explicit Call(const Plan &plan)
      : plan(plan), words(plan.numWords), pointers(plan.numPointers),
        ranges(plan.arguments.size() + plan.results.size()),
        destinations(plan.results.size()), word(words.begin()) {}

  bool takeArgument(const Slot &slot, PyObject *value);
  bool takeOut(PyObject *out);
  bool askCompanion();
  bool makeDestinations();
  bool run(std::atomic<bool> &isLong);
  Owned finish();

private:
  bool takeArray(const Slot &slot, PyArrayObject *array);
  bool takeCodes(const Slot &slot, PyArrayObject *array);
  bool takePacked(const Slot &slot, PyObject *value);
  bool takeGiven(const Slot &slot, Destination &destination);
  bool makeDestination(const Slot &slot, Destination &destination);
  uint8_t *makeScratch(size_t size);
  Owned finish(const Slot &slot, Destination &destination);

  void addScalar(uint64_t bits) {
    *word = bits;
    pointers[numPointers++] = word++;
  }
  void addMemRef(const void *data, const npy_intp *shape, unsigned rank);
  void addBytes(const void *data, npy_intp size) { addMemRef(data, &size, 1); }
  /// Notes memory of the caller. False if it is noted already, and one of both
  /// is written to.
  bool addRange(PyArrayObject *array, bool isWritten = false);

  const Plan &plan;
  // Descriptors and scalars, and a pointer to each argument.
  Room<int64_t, 192> words;
  Room<void *, 32> pointers;
  Room<Range, 16> ranges;
  Room<Destination, 4> destinations;
  int64_t *word;
  int64_t *told = nullptr;
  size_t numPointers = 0, numRanges = 0, numBytes = 0;
  std::vector<std::unique_ptr<uint8_t[]>> scratch;
  std::vector<Owned> kept;
};
} // namespace

static bool hasType(PyArrayObject *array, int type, int flags) {
  return PyArray_TYPE(array) == type && PyArray_ISNOTSWAPPED(array) &&
         PyArray_CHKFLAGS(array, flags);
}

static bool hasShape(PyArrayObject *array, const std::vector<npy_intp> &shape) {
  if (static_cast<size_t>(PyArray_NDIM(array)) != shape.size())
    return false;
  for (size_t dim = 0; dim < shape.size(); ++dim)
    if (shape[dim] >= 0 && shape[dim] != PyArray_DIM(array, dim))
      return false;
  return true;
}

static size_t countElements(const npy_intp *shape, size_t rank) {
  size_t count = 1;
  for (size_t dim = 0; dim < rank; ++dim)
    count *= shape[dim];
  return count;
}

/// True if there are so many elements that the count of their bits overflows.
static bool isTooMany(const npy_intp *shape, size_t rank) {
  size_t count = 8;
  for (size_t dim = 0; dim < rank; ++dim)
    if (__builtin_mul_overflow(count, shape[dim], &count))
      return true;
  return false;
}

/// True for the bytes of packed elements of this shape.
static bool isPackedForm(const Slot &slot, PyArrayObject *array,
                         const npy_intp *shape, int flags) {
  if (!hasType(array, NPY_UBYTE, flags))
    return false;
  size_t count = countElements(shape, slot.shape.size());
  return static_cast<size_t>(PyArray_SIZE(array)) ==
         getPackedSize(count, slot.bits);
}

void Call::addMemRef(const void *data, const npy_intp *shape, unsigned rank) {
  int64_t *descriptor = word;
  auto address = reinterpret_cast<int64_t>(data);
  *word++ = address; // allocated
  *word++ = address; // aligned
  *word++ = 0;       // offset
  int64_t stride = 1;
  for (unsigned dim = rank; dim-- > 0; stride *= shape[dim]) {
    word[dim] = shape[dim];
    word[rank + dim] = stride;
  }
  word += 2 * rank;
  addScalar(reinterpret_cast<uint64_t>(descriptor));
}

bool Call::addRange(PyArrayObject *array, bool isWritten) {
  auto *begin = static_cast<const char *>(PyArray_DATA(array));
  Range range{begin, begin + PyArray_NBYTES(array), isWritten};
  for (size_t k = 0; k < numRanges; ++k)
    if ((isWritten || ranges[k].isWritten) && range.overlaps(ranges[k]))
      return false;
  ranges[numRanges++] = range;
  return true;
}

uint8_t *Call::makeScratch(size_t size) {
  scratch.emplace_back(new uint8_t[size ? size : 1]);
  numBytes += size;
  return scratch.back().get();
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

bool Call::takeArray(const Slot &slot, PyArrayObject *array) {
  if (slot.isPacked)
    return takeCodes(slot, array);
  int flags = slot.isWritten ? NPY_ARRAY_CARRAY : NPY_ARRAY_CARRAY_RO;
  if (!hasType(array, slot.getDescr()->type_num, flags) ||
      !hasShape(array, slot.shape))
    return false;
  numBytes += PyArray_NBYTES(array);
  addMemRef(PyArray_DATA(array), PyArray_DIMS(array), slot.shape.size());
  return addRange(array, slot.isWritten);
}

/// An element in each byte, or packed bytes. An array that can be both, of few
/// unsigned elements, is the former.
bool Call::takeCodes(const Slot &slot, PyArrayObject *array) {
  bool isElements =
      hasType(array, slot.getDescr()->type_num, NPY_ARRAY_CARRAY_RO) &&
      hasShape(array, slot.shape);
  if (!isElements && !slot.countDynamic() &&
      isPackedForm(slot, array, slot.shape.data(), NPY_ARRAY_CARRAY_RO)) {
    numBytes += PyArray_NBYTES(array);
    addBytes(PyArray_DATA(array), PyArray_SIZE(array));
    return addRange(array);
  }
  if (!isElements)
    return false;
  auto *codes = static_cast<const uint8_t *>(PyArray_DATA(array));
  size_t count = PyArray_SIZE(array), size = getPackedSize(count, slot.bits);
  if (slot.isNarrowed && !codesFit(codes, count, slot.bits, slot.isSigned))
    return false;
  uint8_t *bytes = makeScratch(size);
  packCodes(codes, count, slot.bits, bytes);
  addBytes(bytes, size);
  for (size_t dim = 0; dim < slot.shape.size(); ++dim)
    if (slot.shape[dim] < 0)
      addScalar(PyArray_DIM(array, dim));
  return true;
}

/// `Packed(bytes, shape)`.
bool Call::takePacked(const Slot &slot, PyObject *value) {
  Owned data(PyObject_GetAttrString(value, "data"));
  Owned sizes(PyObject_GetAttrString(value, "shape"));
  size_t rank = slot.shape.size();
  if (!slot.isPacked || !data || !PyArray_Check(data.get()) || !sizes ||
      !PyTuple_Check(sizes.get()) ||
      static_cast<size_t>(PyTuple_GET_SIZE(sizes.get())) != rank)
    return false;
  npy_intp shape[NPY_MAXDIMS];
  for (size_t dim = 0; dim < rank; ++dim) {
    shape[dim] = PyLong_AsSsize_t(PyTuple_GET_ITEM(sizes.get(), dim));
    if (shape[dim] < 0 ||
        (slot.shape[dim] >= 0 && slot.shape[dim] != shape[dim])) {
      PyErr_Clear(); // Python says what is wrong, or takes another integer
      return false;
    }
  }
  if (isTooMany(shape, rank))
    return false;
  PyArrayObject *array = asArray(data.get());
  if (!isPackedForm(slot, array, shape, NPY_ARRAY_CARRAY_RO))
    return false;
  addBytes(PyArray_DATA(array), PyArray_SIZE(array));
  for (size_t dim = 0; dim < rank; ++dim)
    if (slot.shape[dim] < 0)
      addScalar(shape[dim]);
  numBytes += PyArray_NBYTES(array);
  kept.push_back(std::move(data));
  return addRange(array);
}

bool Call::takeArgument(const Slot &slot, PyObject *value) {
  if (slot.isTensor && PyArray_Check(value))
    return takeArray(slot, asArray(value));
  if (Py_IS_TYPE(value,
                 reinterpret_cast<PyTypeObject *>(plan.packedType.get())))
    return takePacked(slot, value);
  uint64_t bits;
  if (slot.isWritten || !slot.shape.empty() || !readScalar(slot, value, bits))
    return false;
  if (!slot.isTensor) {
    addScalar(bits);
    return true;
  }
  int64_t *element = word++;
  *element = bits;
  if (slot.isPacked)
    addBytes(element, 1);
  else
    addMemRef(element, nullptr, 0);
  return true;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

bool Call::takeOut(PyObject *out) {
  size_t count = plan.results.size();
  if (!out || out == Py_None)
    return true;
  PyObject *const *items = &out;
  size_t numItems = 1;
  if (PyTuple_Check(out) || PyList_Check(out)) {
    items = PySequence_Fast_ITEMS(out);
    numItems = PySequence_Fast_GET_SIZE(out);
  }
  if (numItems != count)
    return false;
  for (size_t k = 0; k < count; ++k) {
    if (items[k] == Py_None)
      continue;
    if (!PyArray_Check(items[k]) || !PyArray_ISWRITEABLE(asArray(items[k])))
      return false;
    destinations[k].given = share(items[k]);
  }
  return true;
}

/// Completes the shapes. False if an assertion does not hold.
bool Call::askCompanion() {
  if (plan.companion) {
    told = word;
    word += plan.numTold;
    std::fill(told, word, 0);
    size_t numInputs = numPointers;
    addBytes(told, plan.numTold);
    plan.companion(pointers.begin());
    numPointers = numInputs;
    if (*told++)
      return false;
  }
  for (size_t k = 0; k < plan.results.size(); ++k) {
    const Slot &slot = plan.results[k];
    Destination &destination = destinations[k];
    destination.shape = reinterpret_cast<npy_intp *>(word);
    if (slot.isTold)
      destination.word = told++;
    else if (slot.isPacked && slot.countDynamic())
      ++told; // the bytes, which follow from the shape
    for (npy_intp size : slot.shape) {
      *word++ = size < 0 ? *told++ : size;
      if (word[-1] < 0)
        return false;
    }
  }
  return true;
}

/// Checks the caller's array, and passes it where it can be filled as it is.
bool Call::takeGiven(const Slot &slot, Destination &destination) {
  PyArrayObject *array = asArray(destination.given.get());
  if (!addRange(array, /*isWritten=*/true))
    return false;
  size_t rank = slot.shape.size();
  bool isElements =
      hasType(array, slot.getDescr()->type_num, NPY_ARRAY_CARRAY) &&
      static_cast<size_t>(PyArray_NDIM(array)) == rank &&
      PyArray_CompareLists(PyArray_DIMS(array), destination.shape, rank);
  if (!isElements && slot.isPacked &&
      isPackedForm(slot, array, destination.shape, NPY_ARRAY_CARRAY)) {
    addBytes(PyArray_DATA(array), PyArray_SIZE(array));
    return true;
  }
  if (!isElements)
    return false;
  if (slot.isPacked) {
    size_t size = getPackedSize(PyArray_SIZE(array), slot.bits);
    destination.packed = makeScratch(size);
    addBytes(destination.packed, size);
  } else if (slot.isPadded()) {
    destination.word = word++;
    *destination.word = 0;
    addMemRef(destination.word, nullptr, 0);
  } else if (!slot.isTold) {
    addMemRef(PyArray_DATA(array), destination.shape, rank);
  }
  return true;
}

/// False with a Python error if there is no memory.
bool Call::makeDestination(const Slot &slot, Destination &destination) {
  size_t rank = slot.shape.size();
  if (destination.given) {
    numBytes += PyArray_NBYTES(asArray(destination.given.get()));
    return takeGiven(slot, destination);
  }
  if (slot.isTold)
    return true;
  if (!slot.isTensor) {
    destination.word = word++;
    *destination.word = 0;
    addMemRef(destination.word, nullptr, 0);
    return true;
  }
  Py_INCREF(slot.dtype.get());
  destination.made.reset(
      PyArray_Empty(rank, destination.shape, slot.getDescr(), /*fortran=*/0));
  if (!destination.made)
    return false;
  PyArrayObject *array = asArray(destination.made.get());
  numBytes += PyArray_NBYTES(array);
  if (slot.isPacked) {
    size_t size = getPackedSize(PyArray_SIZE(array), slot.bits);
    destination.packed = makeScratch(size);
    addBytes(destination.packed, size);
  } else {
    addMemRef(PyArray_DATA(array), destination.shape, rank);
  }
  return true;
}

bool Call::makeDestinations() {
  for (size_t k = 0; k < plan.results.size(); ++k)
    if (!makeDestination(plan.results[k], destinations[k]))
      return false;
  return true;
}

bool Call::run(std::atomic<bool> &isLong) {
  // A thread that gives up the lock may wait long to get it again.
  bool isShared =
      numBytes >= (size_t(1) << 16) || isLong.load(std::memory_order_relaxed);
  PyThreadState *state = isShared ? PyEval_SaveThread() : nullptr;
  auto start = std::chrono::steady_clock::now();
  bool holds = callCode(plan.code, pointers.begin());
  bool tookLong =
      std::chrono::steady_clock::now() - start > std::chrono::microseconds(10);
  if (state)
    PyEval_RestoreThread(state);
  if (tookLong != isLong.load(std::memory_order_relaxed))
    isLong.store(tookLong, std::memory_order_relaxed);
  return holds;
}

Owned Call::finish(const Slot &slot, Destination &destination) {
  bool isNew = !destination.given;
  Owned &value = isNew ? destination.made : destination.given;
  if (destination.word) {
    if (isNew)
      return Owned(makeScalar(slot, *destination.word));
    uint64_t element = extend(slot, *destination.word);
    std::memcpy(PyArray_DATA(asArray(value.get())), &element,
                slot.getItemSize());
  }
  if (destination.packed) {
    PyArrayObject *array = asArray(value.get());
    unpackCodes(destination.packed, PyArray_SIZE(array), slot.bits,
                slot.isNarrowed && slot.isSigned,
                static_cast<uint8_t *>(PyArray_DATA(array)));
  }
  return std::move(value);
}

Owned Call::finish() {
  size_t count = plan.results.size();
  if (count == 0)
    return share(Py_None);
  if (count == 1)
    return finish(plan.results[0], destinations[0]);
  Owned values(PyTuple_New(count));
  for (size_t k = 0; values && k < count; ++k) {
    Owned value = finish(plan.results[k], destinations[k]);
    if (!value)
      return nullptr;
    PyTuple_SET_ITEM(values.get(), k, value.release());
  }
  return values;
}

PyObject *mlir::qdq::python::callUsual(const Plan &plan,
                                       PyObject *const *arguments,
                                       PyObject *out,
                                       std::atomic<bool> &isLong) {
  Call call(plan);
  for (const Slot &slot : plan.arguments)
    if (!call.takeArgument(slot, *arguments++))
      return nullptr;
  if (!call.takeOut(out) || !call.askCompanion() || !call.makeDestinations())
    return nullptr;
  if (!call.run(isLong)) {
    PyErr_SetString(PyExc_ValueError, getFailedAssertion());
    return nullptr;
  }
  return call.finish().release();
}
