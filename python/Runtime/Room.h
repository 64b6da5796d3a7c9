// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of one call, on the stack if it is not much.

#ifndef QDQ_PYTHON_RUNTIME_ROOM_H
#define QDQ_PYTHON_RUNTIME_ROOM_H

#include <cstddef>
#include <memory>

namespace mlir::qdq::python {

template <typename T, size_t numInside>
class Room {
public:
  explicit Room(size_t size)
      : outside(size > numInside ? new T[size] : nullptr),
        start(outside ? outside.get() : inside) {}
  Room(const Room &) = delete;

  T *begin() { return start; }
  T &operator[](size_t index) { return start[index]; }

private:
  T inside[numInside];
  std::unique_ptr<T[]> outside;
  T *start;
};

} // namespace mlir::qdq::python

#endif // QDQ_PYTHON_RUNTIME_ROOM_H
