/**
 * @module
 * The thread in which `usurp conform` runs the checks of one protocol. It posts the name of each check before
 * the check, so that a check that never ends is known, and all findings at the end.
 */

import { parentPort, workerData } from 'node:worker_threads';

import { findProtocol } from '../../election/registry.ts';
import { checkCounters } from '../../experiment/checks/conform-counters.ts';
import { checkSchedules } from '../../experiment/checks/conform-schedules.ts';
import type { Seed } from '../../random.ts';
import { examine, NO_EXAMINATION } from '../../runtime/load/checked-effects.ts';
import { withoutClock } from '../../runtime/load/without-clock.ts';
import { conform } from '../../simulation/conform/conform.ts';
import type { Finding } from '../../simulation/conform/finding.ts';
import { observeChecks } from '../../simulation/conform/finding.ts';

/** What the thread checks. */
export interface ConformOrder {
  readonly name: string;
  readonly seed: Seed;
  /** The file that defines the protocol. */
  readonly file: string;
}

/** What the thread posts: the name of a check that starts, or all findings. */
export type ConformMessage = string | readonly Finding[];

if (parentPort !== null) {
  const port = parentPort;
  const post = (message: ConformMessage) => port.postMessage(message);
  // The data that conform.ts gives.
  const { name, seed, file } = workerData as ConformOrder;
  const protocol = findProtocol(name);
  if (protocol === null) throw new TypeError(`"name" expected a protocol, got ${name}`);
  observeChecks(post);
  const subject = { protocol, seed, file };
  // The checks of conform report the same with more words.
  examine(NO_EXAMINATION);
  post(
    withoutClock('the machine', () => [
      ...conform(subject),
      ...checkCounters(subject),
      ...checkSchedules(subject),
    ]),
  );
}
