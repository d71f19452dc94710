// The pinner with its threads, against a runtime of this process.
#include "pinner/pinner.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <condition_variable>
#include <filesystem>

#include "base/read_file.h"
#include "base/steady_now.h"
#include "pinning/state_text.h"
#include "tests/fake/temporary_directory.h"
#include "tests/pinner/fake_runtime.h"
#include "tests/pinning/made_node.h"

namespace huygens::pinner {
namespace {

using testing::FakeRuntime;
using testing::MadeContainer;
using testing::Result;

// One zone of four cores with one thread; CPU 0 is reserved.
class PinnerTest : public ::testing::Test {
 protected:
  PinnerTest()
      : node_(std::make_shared<const pinning::NodeCpus>(
            pinning::MakeNodeCpus(pinning::testing::MadeMachine(1, 4, 1), {0}))),
        runtime_(node_->online) {}
  ~PinnerTest() override { pinner_.reset(); }

  std::string path() const { return folder_.File("state"); }
  void Begin() {
    pinner_ = std::make_unique<Pinner>(
        PinnerOptions{.node_name = "n", .state_file = path(), .repair_period = std::chrono::milliseconds(5)}, runtime_,
        [this](PinNote note) {
          const std::lock_guard lock(mutex_);
          notes_.push_back(std::move(note));
          changed_.notify_all();
        },
        SteadyNow);
    ASSERT_TRUE(pinner_->Start().ok());
    pinner_->Manage(node_);
  }
  // Waits for a note; fails the test after a time in which any machine writes one.
  PinNote WaitFor(NoteKind kind) {
    std::unique_lock lock(mutex_);
    const auto found = [&] { return std::ranges::find(notes_, kind, &PinNote::kind); };
    const bool came = changed_.wait_for(lock, std::chrono::seconds(60), [&] { return found() != notes_.end(); });
    EXPECT_TRUE(came);
    if (!came) return {};
    PinNote note = *found();
    notes_.erase(found());
    return note;
  }
  runtime::Container Own(const std::string& uid) {
    return MadeContainer("id-" + uid, "main", testing::MadePod(uid, Result({{0, 2}})), 2);
  }

  const fake::TemporaryDirectory folder_;
  std::shared_ptr<const pinning::NodeCpus> node_;
  FakeRuntime runtime_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<PinNote> notes_;
  std::unique_ptr<Pinner> pinner_;
};

TEST_F(PinnerTest, PinsWhatStartsAndWritesDownWhoHasWhatBefore) {
  runtime_.on_change = [&] {
    // At the moment of the write the file says so already.
    if (runtime_.boxes().begin()->second.kernel.Count() != 2) return;
    const auto state = pinning::DecodeState(*ReadFile(path(), "state"));
    EXPECT_TRUE(state.ok());
    EXPECT_EQ(state->entries.at("a").at("main"), "1-2");
  };
  Begin();
  runtime_.Add(Own("a"));
  pinner_->OnStarted(runtime_.Start("id-a"));
  const PinNote note = WaitFor(NoteKind::kPinned);
  EXPECT_EQ(note.pod, "a");
  EXPECT_EQ(note.cpus, "1-2");
  EXPECT_EQ(runtime_.KernelOf("id-a"), "1-2");
}

TEST_F(PinnerTest, RepeatsAnUpdateThatWasLost) {
  Begin();
  runtime_.lose_next = 2;
  runtime_.Add(Own("a"));
  pinner_->OnStarted(runtime_.Start("id-a"));
  WaitFor(NoteKind::kPinned);
  EXPECT_EQ(runtime_.KernelOf("id-a"), "1-2");
  EXPECT_EQ(pinner_->counts().lost, 2U);
}

TEST_F(PinnerTest, RepairsWhatSomebodyChanged) {
  Begin();
  runtime_.Add(Own("a"));
  pinner_->OnStarted(runtime_.Start("id-a"));
  WaitFor(NoteKind::kPinned);
  runtime_.Drift("id-a", node_->online);
  WaitFor(NoteKind::kRepaired);
  EXPECT_EQ(runtime_.KernelOf("id-a"), "1-2");
  EXPECT_EQ(pinner_->counts().repaired, 1U);
}

TEST_F(PinnerTest, TouchesNothingWhereKubeletPins) {
  Begin();
  pinner_->Manage(nullptr);
  runtime_.Add(Own("a"));
  pinner_->OnStarted(runtime_.Start("id-a"));
  const auto answer = pinner_->OnCreate(Own("b"));
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer->own, runtime::Cpuset{});
  pinner_.reset();
  EXPECT_EQ(runtime_.writes(), 0);
}

TEST_F(PinnerTest, AnswersNriWithTheContainersOwnCpusAndKeepsOthersUpdatesOff) {
  Begin();
  runtime_.Add(Own("a"));
  pinner_->OnStarted(runtime_.Start("id-a"));
  WaitFor(NoteKind::kPinned);
  const runtime::Container one = MadeContainer("id-b", "main", testing::MadePod("b", Result({{0, 1}})), 1);
  const auto answer = pinner_->OnCreate(one);
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer->own.cpus, "3");
  runtime_.Add(one, answer->own);
  pinner_->OnStarted(runtime_.Start("id-b"));
  WaitFor(NoteKind::kPinned);
  runtime::Resources asked;
  EXPECT_EQ(pinner_->OnUpdate(one, asked), runtime::Cpuset{});
  asked.cpuset.cpus = "0-3";
  EXPECT_EQ(pinner_->OnUpdate(one, asked).cpus, "3");
}

TEST_F(PinnerTest, KeepsABadStateFileAsideAndTakesOverWhatRuns) {
  folder_.Write("state", "{half");
  runtime_.Add(Own("a"));
  runtime_.Start("id-a");
  runtime_.Drift("id-a", *pinning::ParseSet("2-3"));  // not what it would be given
  Begin();
  EXPECT_NE(WaitFor(NoteKind::kState).text.find(".bad"), std::string::npos);
  EXPECT_EQ(WaitFor(NoteKind::kPinned).cpus, "2-3");
  EXPECT_EQ(*ReadFile(folder_.File("state.bad"), "state"), "{half");
  pinner_.reset();
  EXPECT_EQ(runtime_.writes(), 0);
  struct stat file{};
  ASSERT_EQ(::stat(path().c_str(), &file), 0);
  EXPECT_EQ(file.st_mode & 0777U, 0600U);
}

TEST_F(PinnerTest, SaysWhyAPodHasNone) {
  Begin();
  const auto pod = testing::MadePod("a", Result({{7, 2}}));
  runtime_.Add(MadeContainer("id-a", "main", pod, 2));
  pinner_->OnStarted(runtime_.Start("id-a"));
  EXPECT_NE(WaitFor(NoteKind::kNotPinned).text.find("node7"), std::string::npos);
}

TEST_F(PinnerTest, ComesBackToWhatTheFileSays) {
  Begin();
  runtime_.Add(Own("a"));
  pinner_->OnStarted(runtime_.Start("id-a"));
  WaitFor(NoteKind::kPinned);
  pinner_.reset();
  runtime_.Drift("id-a", node_->online);
  Begin();
  WaitFor(NoteKind::kPinned);
  EXPECT_EQ(runtime_.KernelOf("id-a"), "1-2");
}

}  // namespace
}  // namespace huygens::pinner
