// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include "cuda/fake_driver.hpp"

#include <doctest/doctest.h>

#include <vector>
#include <weft/cuda/conditional.hpp>

namespace cuda = weft::detail::cuda;
using weft_tests::fake_driver;

namespace {

using pointers = std::vector<cuda::device_address>;

cuda::function_handle kernel(std::uintptr_t id) {
  return reinterpret_cast<cuda::function_handle>(id * 16);
}
const auto user_stream = reinterpret_cast<cuda::stream_handle>(0x70);

// A program of two kernels around a product, which may be several kernels of a library.
struct program {
  fake_driver& fake;
  cuda::device_address x = 1, y = 2, w = 3, z = 4;
  std::size_t product_kernels = 1;
  int bodies = 0;

  void operator()(cuda::work_queue& queue) {
    ++bodies;
    queue.launch({kernel(1)}, pointers{x, y}, "launch first");
    const pointers of_product{y, w};
    queue.other(of_product, [&](cuda::stream_handle on) {
      for (std::size_t i = 0; i < product_kernels; ++i) {
        if (fake.capturing()) {
          fake.capture_kernel(kernel(9), of_product);
        } else {
          fake.launches.push_back({kernel(9), of_product, on});
        }
      }
    });
    queue.launch({kernel(2)}, pointers{w, z}, "launch second");
  }

  // What runs must be what running at once would do.
  void check(cuda::recorded_graph& graph) {
    fake.launches.clear();
    graph.run(user_stream, *this, "run the program");
    const auto replayed = fake.launches;
    fake.launches.clear();
    cuda::work_queue at_once(fake.api(), user_stream);
    (*this)(at_once);
    REQUIRE(replayed.size() == fake.launches.size());
    for (std::size_t i = 0; i < replayed.size(); ++i) {
      CAPTURE(i);
      CHECK(replayed[i].function == fake.launches[i].function);
      CHECK(replayed[i].pointers == fake.launches[i].pointers);
      CHECK(replayed[i].stream == user_stream);
    }
  }
};

}  // namespace

TEST_CASE("graph: captured once, then replayed") {
  fake_driver fake;
  cuda::recorded_graph graph(fake.context());
  program work{fake};
  for (int i = 0; i < 3; ++i) work.check(graph);
  CHECK(graph.statistics().captures == 1);
  CHECK(graph.statistics().instantiations == 1);
  CHECK(graph.statistics().kernel_updates == 0);
  CHECK(fake.calls["graph_launch"] == 3);
}

TEST_CASE("graph: a kernel whose pointers moved is updated in place") {
  fake_driver fake;
  cuda::recorded_graph graph(fake.context());
  program work{fake};
  work.check(graph);
  work.x = 11;
  work.check(graph);
  CHECK(graph.statistics().captures == 1);
  CHECK(graph.statistics().kernel_updates == 1);
  work.z = 14;
  work.x = 21;
  work.check(graph);
  work.check(graph);
  CHECK(graph.statistics().captures == 1);
  CHECK(graph.statistics().kernel_updates == 3);
}

TEST_CASE(
    "graph: a product whose pointers moved is captured again, and updated without a new graph") {
  fake_driver fake;
  cuda::recorded_graph graph(fake.context());
  program work{fake};
  work.check(graph);
  work.y = 12;
  work.check(graph);
  CHECK(graph.statistics().captures == 2);
  CHECK(graph.statistics().instantiations == 1);
  // Later updates of single kernels find their nodes.
  work.x = 11;
  work.z = 14;
  work.check(graph);
  CHECK(graph.statistics().captures == 2);
}

TEST_CASE("graph: a product of another number of kernels moves the nodes behind it") {
  fake_driver fake;
  cuda::recorded_graph graph(fake.context());
  program work{fake};
  work.check(graph);
  work.y = 12;
  work.product_kernels = 3;
  work.check(graph);
  CHECK(graph.statistics().instantiations == 2);
  work.z = 24;
  work.check(graph);
  CHECK(graph.statistics().captures == 2);

  // The same length with the kernels at other places: their old nodes are not theirs.
  cuda::recorded_graph tricky(fake.context());
  std::size_t before = 2, after = 1;
  cuda::device_address moved = 5, last = 6;
  const auto body = [&](cuda::work_queue& queue) {
    const pointers of_product{moved, 1};
    const auto product = [&](std::size_t count) {
      queue.other(of_product, [&, count](cuda::stream_handle) {
        for (std::size_t i = 0; i < count; ++i) fake.capture_kernel(kernel(9), of_product);
      });
    };
    product(before);
    queue.launch({kernel(1)}, pointers{last, 7}, "launch");
    product(after);
  };
  tricky.run(user_stream, body, "run");
  moved = 55, before = 1, after = 2;
  tricky.run(user_stream, body, "run");
  CHECK(tricky.statistics().instantiations == 1);
  last = 66;
  fake.launches.clear();
  tricky.run(user_stream, body, "run");
  REQUIRE(fake.launches.size() == 4);
  CHECK(fake.launches[1].function == kernel(1));
  CHECK(fake.launches[1].pointers == pointers{66, 7});
  CHECK(fake.launches[2].function == kernel(9));
}

TEST_CASE("graph: where the driver cannot update, the graph is made anew") {
  fake_driver fake;
  cuda::recorded_graph graph(fake.context());
  program work{fake};
  work.check(graph);
  fake.refuse_graph_update = true;
  work.y = 12;
  work.check(graph);
  CHECK(graph.statistics().instantiations == 2);
  work.check(graph);
  CHECK(graph.statistics().captures == 2);
  CHECK(fake.calls["graph_exec_destroy"] == 1);
}

TEST_CASE("graph: other grids and other work are captured again") {
  fake_driver fake;
  cuda::recorded_graph graph(fake.context());
  unsigned blocks = 1;
  std::size_t kernels = 2;
  const auto body = [&](cuda::work_queue& queue) {
    for (std::size_t i = 0; i < kernels; ++i) {
      cuda::kernel_launch how{kernel(i + 1)};
      how.grid[0] = blocks;
      queue.launch(how, pointers{1, 2}, "launch");
    }
  };
  graph.run(user_stream, body, "run");
  blocks = 2;
  graph.run(user_stream, body, "run");
  CHECK(graph.statistics().captures == 2);
  kernels = 1;
  graph.run(user_stream, body, "run");
  kernels = 3;
  graph.run(user_stream, body, "run");
  CHECK(graph.statistics().captures == 4);
  graph.run(user_stream, body, "run");
  CHECK(graph.statistics().captures == 4);
  CHECK(fake.launches.size() == 2 + 2 + 1 + 3 + 3);
}

TEST_CASE("graph: an error in the work leaves the capture, and the next run is whole") {
  fake_driver fake;
  cuda::recorded_graph graph(fake.context());
  program work{fake};
  fake.fail("launch", 2, cuda::driver_status::invalid_value);
  CHECK_THROWS_WITH_AS(graph.run(user_stream, work, "run"),
                       doctest::Contains("launch second failed"), weft::device_error);
  CHECK_FALSE(fake.capturing());
  work.check(graph);
  for (const char* call : {"capture_begin", "capture_end", "graph_instantiate", "graph_launch"}) {
    CAPTURE(call);
    cuda::recorded_graph other(fake.context());
    fake.fail(call, 1, cuda::driver_status::illegal_address);
    CHECK_THROWS_AS(other.run(user_stream, work, "run"), weft::device_error);
    work.check(other);
  }
  // An update that fails is tried again.
  work.x = 31;
  fake.fail("graph_set_kernel", 1, cuda::driver_status::invalid_value);
  CHECK_THROWS_AS(graph.run(user_stream, work, "run"), weft::device_error);
  work.check(graph);
}

TEST_CASE("graph: nothing is left behind") {
  fake_driver fake;
  {
    cuda::recorded_graph graph(fake.context());
    program work{fake};
    work.check(graph);
    work.y = 12;
    work.check(graph);
  }
  CHECK(fake.calls["graph_destroy"] == 2);
  CHECK(fake.calls["graph_exec_destroy"] == fake.calls["graph_instantiate"]);
  CHECK(fake.calls["stream_destroy"] == fake.calls["stream_create"]);
}

namespace {

// A kernel, one of two, and one that counts down to zero in a loop.
struct conditional_program {
  fake_driver& fake;
  cuda::device_address x = 1;
  unsigned char flag = 1, left = 3;
  int fault = 0;

  static cuda::device_address at(const void* p) { return reinterpret_cast<std::uintptr_t>(p); }
  void operator()(cuda::work_queue& queue) const {
    REQUIRE(queue.decides_on_device());
    queue.launch({kernel(1)}, pointers{x, 2}, "launch first");
    queue.choose(
        at(&flag), at(&fault),
        [&] {
          queue.launch({kernel(2)}, pointers{x, 3}, "launch then");
        },
        [&] {
          queue.launch({kernel(3)}, pointers{x, 4}, "launch else");
        });
    queue.repeat(at(&left), at(&fault), [&] {
      queue.launch({kernel(4)}, pointers{at(&left), x}, "launch turn");
    });
    queue.launch({kernel(5)}, pointers{x, 5}, "launch last");
  }
  std::vector<cuda::function_handle> run(cuda::recorded_graph& graph) {
    fake.launches.clear();
    fake.run_kernel = [](cuda::function_handle f, const cuda::kernel_launch&, const pointers& p) {
      if (f == kernel(4)) --*reinterpret_cast<unsigned char*>(p[0]);
      return true;
    };
    graph.run(user_stream, *this, "run");
    std::vector<cuda::function_handle> ran;
    for (const auto& each : fake.launches) {
      ran.push_back(each.function);
      CHECK((each.pointers[0] == x || each.pointers[1] == x));
    }
    return ran;
  }
};

}  // namespace

TEST_CASE("graph: conditional nodes run by conditions of each launch") {
  fake_driver fake;
  std::string why;
  cuda::condition_setter setter(fake.context(), fake.version);
  cuda::recorded_graph graph(fake.context(), setter.get(why));
  CHECK(why == "");
  conditional_program work{fake};
  using list = std::vector<cuda::function_handle>;
  const auto k = kernel;
  CHECK(work.run(graph) == list{k(1), k(2), k(4), k(4), k(4), k(5)});
  CHECK(work.run(graph) == list{k(1), k(2), k(5)});  // nothing is left
  work.left = 1, work.flag = 0;
  CHECK(work.run(graph) == list{k(1), k(3), k(4), k(5)});
  work.x = 7;
  CHECK(work.run(graph) == list{k(1), k(3), k(5)});
  CHECK(graph.statistics().captures == 1);
  CHECK(graph.statistics().kernel_updates == 5);
  work.left = 2, work.fault = 2;  // after a fault neither runs
  CHECK(work.run(graph) == list{k(1), k(5)});
  work.fault = 0, work.x = 9;
  fake.refuse_inner_update = true;
  CHECK(work.run(graph) == list{k(1), k(3), k(4), k(4), k(5)});
  CHECK(graph.statistics().captures == 2);
  CHECK(graph.statistics().instantiations == 2);
  CHECK(fake.calls["graph_update"] == 0);
}

TEST_CASE("graph: an error in a conditional node leaves all captures") {
  fake_driver fake;
  std::string why;
  cuda::condition_setter setter(fake.context(), fake.version);
  {
    cuda::recorded_graph graph(fake.context(), setter.get(why));
    conditional_program work{fake};
    for (int nth = 1; nth <= 7; ++nth) {
      fake.fail("launch", nth, cuda::driver_status::invalid_value);
      CHECK_THROWS_AS(work.run(graph), weft::device_error);
      CHECK_FALSE(fake.capturing());
      CHECK(fake.graphs() == 0);
    }
    work.run(graph);
    CHECK(fake.graphs() > 0);
  }
  CHECK(fake.graphs() == 0);
  CHECK(fake.calls["stream_destroy"] == fake.calls["stream_create"]);
}

TEST_CASE("graph: the setter is loaded once, and its absence explained") {
  fake_driver fake;
  std::string why;
  fake.refused_image = cuda::condition_setter_text;
  cuda::condition_setter refused(fake.context(), 12040), old(fake.context(), 12030);
  for (int again = 0; again < 2; ++again) CHECK(refused.get(why) == nullptr);
  CHECK(why.find("does not load the kernel that sets conditions") != std::string::npos);
  CHECK(fake.calls["module_load"] == 1);
  CHECK(old.get(why) == nullptr);
  CHECK(why.find("older than CUDA 12.4") != std::string::npos);
}
