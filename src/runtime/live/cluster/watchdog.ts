/**
 * @module
 * Kills the nodes of a cluster when its controller ends in any way, also by kill -9: paused nodes cannot end by themselves.
 * It is a shell that reads the process ids of the nodes from the controller, and the names of their network namespaces. It
 * acts when this input ends.
 */

import { spawn } from 'node:child_process';

export interface Watchdog {
  add(pid: number): void;
  /** The process has ended; its id may be another's from now on. */
  remove(pid: number): void;
  /** A network namespace that is removed at the end. */
  addNamespace(name: string): void;
  /** Ends the watchdog, which removes the folder first. */
  close(): Promise<void>;
}

const SCRIPT = `
pids=" "
spaces=""
while read -r act name; do
  case "$act" in
    add) pids="$pids$name " ;;
    remove) pids="\${pids%% $name *} \${pids#* $name }" ;;
    netns) spaces="$spaces $name" ;;
  esac
done
for pid in $pids; do kill -9 "$pid"; done
for space in $spaces; do ip netns delete "$space"; done
[ -z "$1" ] || rm -rf -- "$1"
`;

/** `folder` is removed at the end; null for none. */
export function startWatchdog(folder: string | null): Watchdog {
  // In a session of its own, so that Ctrl-C in a terminal does not end it.
  const child = spawn('/bin/sh', ['-c', SCRIPT, 'usurp-watchdog', folder ?? ''], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  child.once('error', () => undefined);
  child.stdin.on('error', () => undefined);
  return {
    add: (pid) => child.stdin.write(`add ${pid}\n`),
    remove: (pid) => child.stdin.write(`remove ${pid}\n`),
    addNamespace: (name) => child.stdin.write(`netns ${name}\n`),
    async close() {
      child.stdin.end();
      await ended;
    },
  };
}
