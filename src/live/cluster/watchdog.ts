/**
 * @module
 * Kills the nodes of a cluster when its controller ends in any way, also by kill -9: paused nodes cannot end by themselves.
 * It is a shell that reads the process ids of the nodes from the controller, and the names of their network namespaces. It
 * acts when this input ends.
 */

import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unwritable } from '../../runtime/files/file-sink.ts';

export interface Watchdog {
  add(pid: number): void;
  /** Starts a program that the watchdog knows before it begins, whenever the controller is killed. It has no input and no output. */
  spawn(command: readonly string[]): ChildProcess;
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

/** A shell that sends its process id to the watchdog, and becomes the program. Meanwhile it holds the input of the watchdog open. */
const ANNOUNCED = 'echo "add $$" >&3 && exec "$@" 3>&-';

/** `folder` is removed at the end, also if it is made later; null for none. */
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
    // In a session of its own as well.
    spawn: (command) =>
      spawn('/bin/sh', ['-c', ANNOUNCED, 'usurp-start', ...command], {
        detached: true,
        stdio: ['ignore', 'ignore', 'ignore', child.stdin],
      }),
    remove: (pid) => child.stdin.write(`remove ${pid}\n`),
    addNamespace: (name) => child.stdin.write(`netns ${name}\n`),
    async close() {
      child.stdin.end();
      await ended;
    },
  };
}

/** A new temporary folder, and the watchdog that removes it. */
export function watchedTemporaryFolder(): { readonly folder: string; readonly watchdog: Watchdog } {
  const folder = join(tmpdir(), `usurp-cluster-${randomBytes(8).toString('hex')}`);
  // Before the folder is there, so that it is removed whenever this process is killed.
  const watchdog = startWatchdog(folder);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    void watchdog.close();
    throw unwritable(folder, error);
  }
  return { folder, watchdog };
}
