// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mlir_qdq._mlir_libs._qdq.code: from modules to object files to addresses.

#include "CodeBinding.h"
#include "CodeGeneration.h"
#include "Resources.h"
#include "mlir/Bindings/Python/NanobindAdaptors.h"
#include "mlir/CAPI/IR.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace mlir;
using namespace mlir::qdq;

template <typename T>
static T check(llvm::Expected<T> value) {
  if (!value)
    throw std::runtime_error(llvm::toString(value.takeError()));
  return std::move(*value);
}

static nb::list compile(MlirModule module, unsigned numThreads,
                        unsigned optLevel) {
  CodeGenerator generator = check(CodeGenerator::create(unwrap(module)));
  std::vector<std::string> objects;
  {
    nb::gil_scoped_release release;
    objects = check(generator.compile(numThreads, optLevel));
  }
  nb::list list;
  for (const std::string &object : objects)
    list.append(nb::bytes(object.data(), object.size()));
  return list;
}

void mlir::qdq::addCode(nb::module_ &extension) {
  nb::module_ m = extension.def_submodule(
      "code", "Object files of modules, and what they hold, loaded");
  m.def("describe_target", describeTarget,
        "What object files depend on beside their module.");
  m.def("compile", compile, nb::arg("module"), nb::arg("threads"),
        nb::arg("level"), "The object files of a module of the LLVM dialect.");
  m.def(
      "bytecode",
      [](MlirModule module) {
        std::string text = writeWithoutResources(unwrap(module));
        if (text.empty())
          throw std::runtime_error("cannot write the module as bytecode");
        return nb::bytes(text.data(), text.size());
      },
      nb::arg("module"),
      "The bytecode of a module without the bytes of its resources.");
  m.def(
      "resources",
      [](MlirModule module) {
        nb::list list;
        for (const ResourceBytes &resource : listResources(unwrap(module)))
          list.append(
              nb::make_tuple(resource.name, resource.address, resource.size));
        return list;
      },
      nb::arg("module"),
      "The name, address and size of each resource, which the context owns.");
  m.def(
      "declare_resources",
      [](MlirModule module, MlirModule source, uint64_t leastBytes) {
        return declareResources(unwrap(module), unwrap(source), leastBytes);
      },
      nb::arg("module"), nb::arg("source"), nb::arg("least_bytes"),
      "Makes globals that are large resources external; names of symbols and "
      "resources.");
  nb::class_<LoadedCode>(m, "LoadedCode",
                         "Linked object files; their addresses hold as long.")
      .def(
          "__init__",
          [](LoadedCode *self, const nb::list &objects,
             const std::vector<std::string> &libraries,
             const SymbolAddresses &symbols) {
            std::vector<StringRef> buffers;
            for (nb::handle object : objects) {
              auto bytes = nb::cast<nb::bytes>(object);
              buffers.push_back(StringRef(bytes.c_str(), bytes.size()));
            }
            new (self) LoadedCode(
                check(LoadedCode::create(buffers, libraries, symbols)));
          },
          nb::arg("objects"), nb::arg("libraries"), nb::arg("symbols"))
      .def(
          "lookup",
          [](LoadedCode &self, const std::string &name) {
            return check(self.lookup(name));
          },
          nb::arg("name"), "The address of a function.");
}
