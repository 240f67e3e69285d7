/**
 * @module
 * The clients of a run: how long they wait, and how many operations they make.
 */

import type { CastClients } from '../../election/clients/client-cast.ts';
import type { Clients } from '../../election/clients/client-form.ts';
import type { ProtocolName } from '../../election/registry.ts';
import type { Timing } from '../../election/timing.ts';
import { answerTicks } from '../../election/timing.ts';
import type { Workload } from './workload.ts';
import { workloadEveryTicks } from './workload.ts';

/** Operations of a run. A history in which few overlap is judged in less than a second. */
const OPERATIONS_MAX = 10_000;
const PATIENT_ANSWERS = 5;

/** What a cast needs of clients in a network. */
export function castClientsOf(
  { count, reads, patienceTicks, everyTicks }: Clients,
  cast: {
    readonly protocol: ProtocolName;
    readonly timing: Timing;
    readonly workload: Workload | null;
  },
): CastClients {
  const { protocol, timing, workload } = cast;
  return {
    protocol,
    reads,
    clients: count,
    everyTicks: everyTicks ?? answerTicks(timing),
    patienceTicks: patienceTicks ?? PATIENT_ANSWERS * answerTicks(timing),
    operationsMax: OPERATIONS_MAX,
    workload: workload && {
      protocol,
      ...workload,
      everyTicks: workloadEveryTicks(workload, timing),
    },
  };
}
