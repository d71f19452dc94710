// The only program of the node's only image: waits for SIGTERM; with an argument it ends at once, as an init container does.
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static void End(int signal_number) {
  (void)signal_number;
  _exit(0);
}

int main(int argc, char** argv) {
  (void)argv;
  if (argc > 1) return 0;
  signal(SIGTERM, End);
  for (;;) pause();
}
