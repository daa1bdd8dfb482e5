#include "kernel/emulator/code.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "base/check.h"
#include "base/match.h"
#include "kernel/emulator/order.h"

namespace fulgurite::kernel::emulator {
namespace {

using File = Operand::File;

class Flattener {
 public:
  Flattener(const Kernel& kernel, const Expectations* expectations)
      : kernel_(kernel), expectations_(expectations) {}

  Program operator()() {
    for (const Param& p : kernel_.params) {
      if (p.role == Param::Role::scalar)
        program_.scalars.push_back(bind(p.name));
      else
        add_buffer({p.name, type(p.name).kind, Space::global, 0,
                    static_cast<std::int64_t>(program_.buffers.size()), p.role == Param::Role::update});
    }
    for (const Stm& s : kernel_.body) {
      const Par* par = base::as<Par>(s.op);
      FULGURITE_CHECK(par && par->level == Level::grid, "only Par(grid) stands at the top");
      phase(s, *par);
    }
    FULGURITE_CHECK(here() < most_in_stamp, "{} statements", here());
    return std::move(program_);
  }

 private:
  Type type(Var v) const { return kernel_.arena->info(v).type; }
  std::uint32_t here() const { return static_cast<std::uint32_t>(program_.steps.size()); }

  // Values.

  Operand bind(Var name) {
    FULGURITE_CHECK(type(name).lanes == 1, "the emulator runs kernels before vectorise");
    return names_[name] = in_par_ ? slot(File::thread) : slot(File::task);
  }
  Operand slot(File file) {
    return {file, file == File::thread,
            file == File::thread ? program_.thread_slots++ : program_.task_slots++};
  }
  Operand constant(Expr e) {
    const auto index = static_cast<std::uint32_t>(program_.constants.size());
    const Operand result{File::constant, false, index};
    program_.constants.push_back(
        e.kind() == Kind::boolean ? e.bits() : scalar::evaluate(Op::bitcast, e.kind(), e.kind(), e.bits()));
    return result;
  }
  /// A value that the current step computes, once for each node.
  Operand value(Expr root) {
    if (!root) return {};
    scalar::for_each_node(std::span(&root, 1), [&](Expr e) {
      if (values_.contains(e)) return;
      FULGURITE_CHECK(e.type().lanes == 1, "the emulator runs kernels before vectorise");
      if (e.is_constant()) {
        values_[e] = constant(e);
      } else if (e.is_name()) {
        if (e.type().rank == 0) values_[e] = names_.at(e.var());
      } else if (e.op() == Op::index) {
        Node node{e.op(), e.kind(), e.kind(), {values_.at(e.arg(1))}, {File::scratch, in_par_, scratch_++}};
        node.buffer = buffers_.at(e.arg(0).var());
        program_.nodes.push_back(node);
        values_[e] = node.to;
      } else {
        Node node{e.op(), e.arg(0).kind(), e.kind(), {}, {File::scratch, false, scratch_++}};
        for (std::size_t i = 0; i < e.args().size(); ++i) {
          node.args.at(i) = values_.at(e.arg(i));
          node.to.by_lanes = node.to.by_lanes || node.args.at(i).by_lanes;
        }
        program_.nodes.push_back(node);
        values_[e] = node.to;
      }
    });
    return values_.at(root);
  }
  /// A step whose values are the ones asked for since the last step.
  Step& add(Code code, const Stm& s) {
    Step step{code, &s};
    step.first_node = first_node_;
    step.last_node = first_node_ = static_cast<std::uint32_t>(program_.nodes.size());
    step.par = par_;
    program_.scratch_slots = std::max(program_.scratch_slots, scratch_);
    scratch_ = 0;
    values_.clear();
    return program_.steps.emplace_back(std::move(step));
  }
  Step& statement(Code code, const Stm& s) {
    Step& step = add(code, s);
    step.is_statement = true;
    return step;
  }

  // Buffers.

  std::int32_t add_buffer(const Buffer& b) {
    const auto number = static_cast<std::int32_t>(program_.buffers.size());
    program_.buffers.push_back(b);
    return buffers_[b.name] = number;
  }

  /// Arrays without an offset come after all that have one: their places follow when the phase is done.
  void allocate(const Stm& s, const Allocate& a) {
    FULGURITE_CHECK(a.n.is_constant() && a.space != Space::global, "an array of the emulator has no size");
    const auto n = static_cast<std::int64_t>(a.n.bits());
    const Kind kind = type(a.buffer).kind;
    const auto size = static_cast<std::int64_t>(scalar::size_of(kind));
    Phase& phase = program_.phases.back();
    Buffer buffer{a.buffer, kind, a.space, n, a.offset};
    if (a.space == Space::thread) {
      phase.thread_room = (phase.thread_room + 7) / 8 * 8;
      buffer.place = phase.thread_room;
      phase.thread_room += n * size;
    } else {
      phase.grain = std::gcd(phase.grain, size);
      if (a.offset < 0) {
        unplaced_ += n * size;
        last_unplaced_ = &s;
      } else {
        FULGURITE_CHECK(a.offset % size == 0, "'{}' of {} begins at byte {}",
                        kernel_.arena->info(a.buffer).name, scalar::name_of(kind), a.offset);
        phase.grain = std::gcd(phase.grain, a.offset);
        if (a.offset + n * size > phase.shared_room) {
          phase.shared_room = a.offset + n * size;
          phase.largest = &s;
        }
      }
    }
    const std::int32_t number = add_buffer(buffer);
    add(Code::allocate, s).buffer = number;
  }
  void place_others(std::size_t first) {
    Phase& phase = program_.phases.back();
    phase.shared_bytes = phase.shared_room + unplaced_;
    if (last_unplaced_) phase.largest = last_unplaced_;
    for (std::size_t i = first; i < program_.buffers.size(); ++i) {
      Buffer& b = program_.buffers[i];
      if (b.space != Space::shared || b.place >= 0) continue;
      const auto size = static_cast<std::int64_t>(scalar::size_of(b.kind));
      b.place = (phase.shared_room + size - 1) / size * size;
      phase.shared_room = b.place + b.n * size;
    }
  }

  // Statements.

  void phase(const Stm& s, const Par& par) {
    Phase phase;
    phase.par = &par;
    phase.n_tasks = value(par.n);
    phase.first_node = first_node_;
    phase.last_node = first_node_ = static_cast<std::uint32_t>(program_.nodes.size());
    program_.scratch_slots = std::max(program_.scratch_slots, scratch_);
    scratch_ = 0;
    values_.clear();
    phase.task = bind(par.name);
    phase.begin = here();
    program_.phases.push_back(phase);
    unplaced_ = 0;
    last_unplaced_ = nullptr;
    const std::size_t first_buffer = program_.buffers.size();
    block(par.body);
    add(Code::end_task, s);
    place_others(first_buffer);
  }

  static bool is_segment(const Stm& s) {
    const Sync* sync = base::as<Sync>(s.op);
    return base::as<Par>(s.op) || (sync && sync->level == Level::warp);
  }

  void block(const Block& statements) {
    for (std::size_t i = 0; i < statements.size(); ++i) {
      if (in_par_ || !is_segment(statements[i])) {
        any(statements[i]);
        continue;
      }
      add(Code::begin_segment, statements[i]);
      const std::size_t begin = here() - 1;
      for (; i < statements.size() && is_segment(statements[i]); ++i) any(statements[i]);
      --i;
      add(Code::end_segment, statements[i]);
      program_.steps[begin].jump = here();
    }
  }

  void any(const Stm& s) {
    base::match(
        s.op,
        [&](const Let& x) {
          const auto expected = expectations_ ? expectations_->find(x.name) : Expectations::const_iterator();
          if (expectations_ && expected != expectations_->end()) return expect(s, expected->second);
          set(s, x.name, x.value);
        },
        [&](const Declare& x) { set(s, x.name, x.value); },
        [&](const Assign& x) {
          const Operand from = value(x.value), mask = value(x.mask);
          Step& step = statement(Code::set, s);
          step.value = from;
          step.mask = mask;
          step.to = names_.at(x.name);
        },
        [&](const Load& x) {
          Step& step = access(Code::load, s, x.from, {}, {});
          step.to = bind(x.name);
        },
        [&](const Store& x) { access(Code::store, s, x.to, x.value, {}); },
        [&](const WideLoad& x) {
          Step& step = wide(Code::wide_load, s, x.buffer, x.index, {});
          for (Var name : x.names) step.parts.emplace_back(step.buffer, bind(name));
        },
        [&](const WideStore& x) { wide(Code::wide_store, s, x.buffer, x.index, x.values); },
        [&](const Prefetch&) { add(Code::nothing, s); }, [&](const Permute&) { refuse(); },
        [&](const Transpose&) { refuse(); },
        [&](const Shift& x) { across(Code::shift, s, x.name, x.value, x.fill); },
        [&](const Pick& x) { across(Code::pick, s, x.name, x.value, {}); },
        [&](const Pack& x) { pack(s, x); },
        [&](const Atomic& x) {
          Step& step = access(Code::atomic, s, x.at, x.value, x.expected);
          if (x.name) step.to = bind(*x.name);
        },
        [&](const Shuffle& x) { across(Code::shuffle, s, x.name, x.value, x.from); },
        [&](const For& x) { loop(s, x); }, [&](const While& x) { loop(s, x); },
        [&](const If& x) { branch(s, x); }, [&](const Par& x) { par(s, x); },
        [&](const InOrder& x) { in_order(s, x); }, [&](const Allocate& x) { allocate(s, x); },
        [&](const Sync& x) { add(x.level == Level::warp ? Code::sync_warp : Code::sync_block, s); },
        [&](const Fail& x) {
          const Operand when = value(x.when), element = value(x.element), v = value(x.value),
                        bound = value(x.bound);
          const Operand group = x.group ? value(x.group) : Operand{};
          std::vector<std::pair<std::int32_t, Operand>> more;
          for (Expr e : x.more) more.emplace_back(-1, value(e));
          Step& step = statement(Code::fail, s);
          step.limit = group;
          step.parts = std::move(more);
          step.mask = when;
          step.index = element;
          step.value = v;
          step.extra = bound;
        });
  }
  [[noreturn]] static void refuse() {
    base::check_failed("kernel::emulate", "the emulator runs kernels before vectorise");
  }

  void expect(const Stm& s, const Expectation& x) {
    const Operand index = value(x.index);
    Step& step = add(Code::expect, s);
    step.index = index;
    step.n = x.n;
  }
  void set(const Stm& s, Var name, Expr from) {
    const Operand source = value(from);
    Step& step = statement(Code::set, s);
    step.value = source;
    step.to = bind(name);
  }
  Step& access(Code code, const Stm& s, const Access& a, Expr stored, Expr expected) {
    const Operand index = value(a.index), mask = value(a.mask), v = value(stored), extra = value(expected);
    Step& step = statement(code, s);
    step.index = index;
    step.mask = mask;
    step.value = v;
    step.extra = extra;
    step.buffer = buffers_.at(a.buffer);
    return step;
  }
  Step& wide(Code code, const Stm& s, Var buffer, Expr first, const std::vector<Expr>& stored) {
    const Operand index = value(first);
    const std::int32_t number = buffers_.at(buffer);
    std::vector<std::pair<std::int32_t, Operand>> parts;
    for (Expr e : stored) parts.emplace_back(number, value(e));
    Step& step = statement(code, s);
    step.index = index;
    step.buffer = number;
    step.parts = std::move(parts);
    return step;
  }
  void across(Code code, const Stm& s, Var name, Expr from, Expr other) {
    FULGURITE_CHECK(in_par_, "a statement across instances is not in a Par(block)");
    const Operand source = value(from), extra = value(other);
    Step& step = statement(code, s);
    step.value = source;
    step.extra = extra;
    step.to = bind(name);
  }
  void pack(const Stm& s, const Pack& x) {
    const Operand keep = value(x.keep);
    std::vector<std::pair<std::int32_t, Operand>> parts;
    for (std::size_t i = 0; i < x.buffers.size(); ++i)
      parts.emplace_back(buffers_.at(x.buffers[i]), value(x.values[i]));
    Step& step = statement(Code::pack, s);
    step.mask = keep;
    step.parts = std::move(parts);
    step.to = names_.at(x.next);
  }

  void branch(const Stm& s, const If& x) {
    const Operand condition = value(x.condition);
    const std::uint32_t begin = here();
    statement(Code::branch, s).value = condition;
    block(x.then_branch);
    program_.steps[begin].jump = here();
    const std::uint32_t middle = here();
    add(Code::otherwise, s);
    block(x.else_branch);
    program_.steps[middle].jump = here();
    add(Code::join, s);
  }
  void loop(const Stm& s, const For& x) {
    const Operand begin = value(x.begin), end = value(x.end), by = value(x.step);
    const File file = in_par_ ? File::thread : File::task;
    const Operand limit = slot(file), step_kept = slot(file);
    Step& first = statement(Code::begin_for, s);
    first.value = begin;
    first.index = end;
    first.extra = by;
    const Operand name = first.to = bind(x.name);
    first.limit = limit;
    first.step = step_kept;
    const std::uint32_t test = here();
    Step& tests = add(Code::test_for, s);
    tests.to = name;
    tests.limit = limit;
    block(x.body);
    Step& next = add(Code::next_for, s);
    next.to = name;
    next.step = step_kept;
    next.jump = test;
    program_.steps[test].jump = here();
    add(Code::leave, s);
  }
  void loop(const Stm& s, const While& x) {
    statement(Code::begin_loop, s);
    const std::uint32_t head = here();
    block(x.head);
    const Operand condition = value(x.condition);
    const std::uint32_t test = here();
    add(Code::test, s).value = condition;
    block(x.body);
    Step& back = add(Code::jump, s);
    back.jump = head;
    const auto is_atomic = [](const Step& step) { return step.code == Code::atomic; };
    const auto first = program_.steps.begin() + static_cast<std::ptrdiff_t>(head);
    back.ends_turn = std::any_of(first, program_.steps.end(), is_atomic);
    program_.steps[test].jump = here();
    add(Code::leave, s);
  }
  void par(const Stm& s, const Par& x) {
    FULGURITE_CHECK(!in_par_ && x.level == Level::block && x.n.is_constant(),
                    "the emulator runs a Par(block) of constant size in a task");
    const auto n = static_cast<std::int64_t>(x.n.bits());
    FULGURITE_CHECK(0 < n && n < 65'000, "a block of {} threads", n);
    Phase& phase = program_.phases.back();
    phase.threads = std::max(phase.threads, n);
    par_ = static_cast<std::int32_t>(program_.pars.size());
    program_.pars.push_back({n, 0, s.line});
    in_par_ = true;
    add(Code::begin_par, s).to = bind(x.name);
    block(x.body);
    program_.pars[static_cast<std::size_t>(par_)].end = here();
    add(Code::end_par, s);
    in_par_ = false;
    par_ = -1;
  }
  void in_order(const Stm& s, const InOrder& x) {
    program_.phases.back().in_order = true;
    const Operand task = value(x.task);
    const std::int32_t turn = buffers_.at(x.turn);
    const std::uint32_t begin = here();
    Step& first = add(Code::begin_turn, s);
    first.value = task;
    first.buffer = turn;
    first.to = slot(File::task);
    block(x.body);
    const Operand kept = program_.steps[begin].to;
    Step& last = add(Code::end_turn, s);
    last.value = kept;
    last.buffer = turn;
  }

  const Kernel& kernel_;
  const Expectations* expectations_;
  Program program_;
  std::unordered_map<Var, Operand> names_;
  std::unordered_map<Var, std::int32_t> buffers_;
  std::unordered_map<Expr, Operand> values_;  // of the step that is being made
  std::uint32_t scratch_ = 0, first_node_ = 0;
  bool in_par_ = false;
  std::int32_t par_ = -1;
  std::int64_t unplaced_ = 0;
  const Stm* last_unplaced_ = nullptr;
};

}  // namespace

Program flatten(const Kernel& kernel, const Expectations* expectations) {
  return Flattener(kernel, expectations)();
}

}  // namespace fulgurite::kernel::emulator
