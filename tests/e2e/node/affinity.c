// The only program of the image of runtime.py: says on which CPUs it may run as the first thing that it does, then waits for SIGTERM.
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static void End(int signal_number) {
  (void)signal_number;
  _exit(0);
}

int main(void) {
  cpu_set_t set;
  sched_getaffinity(0, sizeof set, &set);
  signal(SIGTERM, End);
  printf("affinity");
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) printf(" %d", cpu);
  }
  printf("\n");
  fflush(stdout);
  for (;;) pause();
}
