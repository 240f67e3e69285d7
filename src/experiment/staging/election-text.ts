/**
 * @module
 * What a threat model says about its watched elections, read from its texts once for all runs: latency,
 * flags, detector, resource, and what goes wrong. Ranks are judged with each population: a fault of a
 * node that a run does not have is passed over there.
 */

import type { DetectorSpec } from '../../election/detectors/registry.ts';
import { parseDetector } from '../../election/detectors/registry.ts';
import type { Flags } from '../../election/flags.ts';
import { jsonPointer, LabError } from '../../errors.ts';
import type { NamedCrash } from '../../simulation/faults/crashes.ts';
import { createCut } from '../../simulation/faults/cuts.ts';
import type { Latency } from '../../simulation/faults/latency.ts';
import { parseLatency } from '../../simulation/faults/latency.ts';
import type { Cut, Schedule, ScheduledFault } from '../../simulation/faults/schedule.ts';
import { FAULT_FLAGS, parseCrashes, parseFaultText } from '../../simulation/faults/text.ts';
import type { Workload } from '../../simulation/plan/workload.ts';
import { parseWorkload } from '../../simulation/plan/workload.ts';
import type { Adversary, ThreatModel } from '../document/threat-model.ts';

/** Whether an adversary has a budget, of which each bound is above 0. */
export function isForging({ adversaries }: ThreatModel): boolean {
  return Object.values(adversaries).some(mayForge);
}

export function mayForge({ budget }: Adversary): boolean {
  return Object.values(budget).every((bound) => bound !== 0);
}

/** The texts, read. */
export interface Script {
  readonly latency: Latency;
  readonly flags: Flags;
  readonly detector: DetectorSpec | undefined;
  readonly workload: Workload | undefined;
  readonly crashes: readonly NamedCrash[];
  readonly faults: readonly ScheduledFault[];
  readonly notice: Schedule['detector'];
}

/**
 * Reads the texts. Throws LabError `arguments`, with the pointer of the member, for the first that is not of
 * its form.
 */
export function readScript({ network, faults }: ThreatModel): Script {
  const { latency, flags, detector, resource } = network.election;
  const read = <T>(path: readonly string[], parse: () => T): T => {
    try {
      return parse();
    } catch (error) {
      if (!(error instanceof LabError)) throw error;
      throw refusal(path, error.message);
    }
  };
  const at = (member: string) => ['network', 'election', member];
  const scheduled = FAULT_FLAGS.filter((flag) => flag !== 'crash').flatMap((flag) => {
    const text = faults?.[flag];
    return text === undefined ? [] : read(['faults', flag], () => parseFaultText(flag, text));
  });
  const { crash } = faults ?? {};
  return {
    latency: read(at('latency'), () => parseLatency(String(latency))),
    flags: read(at('flags'), () => readFlags(flags)),
    detector:
      detector === undefined ? detector : read(at('detector'), () => parseDetector(detector)),
    workload:
      resource === undefined ? resource : read(at('resource'), () => parseWorkload(resource)),
    crashes: crash === undefined ? [] : read(['faults', 'crash'], () => parseCrashes(crash)),
    faults: scheduled,
    notice: faults?.notice ?? 'crashes',
  };
}

/** `path` has one member of the document a part, and no part has a slash. */
function refusal(path: readonly string[], message: string): LabError {
  const [name = ''] = path.slice(-1);
  const detail = message.startsWith(`${name} `) ? message.slice(name.length + 1) : message;
  const faults = [{ pointer: jsonPointer(path), detail }];
  return new LabError('arguments', `${path.join('.')} ${detail}`, faults);
}

function readFlags(flags: readonly string[]): Flags {
  const pairs = flags.map((text) => {
    const equals = text.indexOf('=');
    return [text.slice(0, equals), text.slice(equals + 1)] as const;
  });
  const names = pairs.map(([name]) => name);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) throw new LabError('arguments', `${twice} is given twice`);
  return Object.fromEntries(pairs);
}

/** Without the crashes and faults of nodes that are not among so many. */
export function fittedTo(script: Script, nodes: number): Script {
  const crashes = script.crashes.filter(({ rank }) => rank === 'highest' || rank <= nodes);
  return { ...script, crashes, faults: script.faults.flatMap((fault) => faultAmong(fault, nodes)) };
}

function faultAmong(fault: ScheduledFault, nodes: number): ScheduledFault[] {
  switch (fault.type) {
    case 'crash':
    case 'restart':
    case 'pause':
    case 'join':
    case 'skew':
      return fault.rank <= nodes ? [fault] : [];
    case 'churn':
      return [{ ...fault, joins: fault.joins.filter((rank) => rank <= nodes) }];
    case 'partition': {
      const cut = cutAmong(fault.cut, nodes);
      return cut === null ? [] : [{ ...fault, cut }];
    }
    default:
      return [fault];
  }
}

function cutAmong(cut: Cut, nodes: number): Cut | null {
  switch (cut.kind) {
    case 'isolate':
      return cut.rank <= nodes ? cut : null;
    case 'one-way':
      return Math.max(cut.from, cut.to) <= nodes ? cut : null;
    case 'links': {
      const links = cut.links.filter(([one, other]) => Math.max(one, other) <= nodes);
      return links.length === 0 ? null : { ...cut, links };
    }
    default:
      return cut;
  }
}

/**
 * Cuts by halves and majorities as links among the members alone: a place that nobody holds would shift
 * them. The protocols that have such a place have no store.
 */
export function cutAmongMembers(fault: ScheduledFault, members: number): ScheduledFault {
  if (fault.type !== 'partition') return fault;
  const { kind } = fault.cut;
  if (kind === 'isolate' || kind === 'one-way' || kind === 'links') return fault;
  const isCut = createCut(fault.cut, members);
  const links: [number, number][] = [];
  for (let one = 1; one <= members; one += 1) {
    for (let other = one + 1; other <= members; other += 1) {
      if (isCut(one, other)) links.push([one, other]);
    }
  }
  return { ...fault, cut: { kind: 'links', links } };
}
