// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The remarks of qdq-lint, each of a kind, so that a model gets one for each
// kind and not one for each op.

#ifndef QDQ_LIB_TRANSFORMS_LINT_LINTREPORT_H
#define QDQ_LIB_TRANSFORMS_LINT_LINTREPORT_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::qdq {

/// The subject of a remark.
enum class Hazard {
  ConvertedZeroPoint,
  RoundedInput,
  UndefinedCode,
  WrappedCode,
  Unseeded,
  Unplaced,
  WrappedDifference,
  RoundedCode,
  Scale,
  ZeroPoint,
  SaturatedConstant,
  NaNConstant,
  RoundTrip,
  Packing,
  InfiniteCode,
  Profiles,
  Shift,
  WrappedSum,
  SaturatedPair,
  FloatSum,
};

class LintReport {
  struct Entry {
    Operation *op;
    std::string text;
  };

  /// One remark while it is written.
  class Remark {
  public:
    Remark(Entry &entry)
        : entry(entry), text(entry.op->getLoc(), DiagnosticSeverity::Remark) {}
    Remark(const Remark &) = delete;
    ~Remark() { entry.text = text.str(); }

    template <typename T>
    Remark &operator<<(T &&part) {
      text << std::forward<T>(part);
      return *this;
    }

  private:
    Entry &entry;
    Diagnostic text;
  };

public:
  /// A new remark; its text follows by `<<`, in the same statement.
  Remark operator()(Operation *op, Hazard kind) {
    return Remark(entries[{kind, op->getName()}].emplace_back(Entry{op, {}}));
  }

  /// Every remark at its op; or without `details` the first of each kind and
  /// kind of op, with the number of the others.
  void emit(bool details) const {
    for (const auto &[kind, remarks] : entries) {
      size_t others = remarks.size() - 1;
      for (const Entry &entry :
           ArrayRef(remarks).drop_back(details ? 0 : others)) {
        InFlightDiagnostic remark = entry.op->emitRemark(entry.text);
        if (!details && others)
          remark << " (and " << others << " more remark"
                 << (others == 1 ? "" : "s") << " of this kind: details=true)";
      }
    }
  }

private:
  llvm::MapVector<std::pair<Hazard, OperationName>, std::vector<Entry>> entries;
};

} // namespace mlir::qdq

#endif // QDQ_LIB_TRANSFORMS_LINT_LINTREPORT_H
