/**
 * @module
 * What a threat model says about its watched elections, parsed once for all runs: latency, flags, detector,
 * resource, behaviours and faults. Ranks are checked with each population: a fault of a node that a run
 * does not have is left out.
 */

import type { Behaviour } from '../../adversary/behaviours/behaviour.ts';
import { BEHAVIOURS } from '../../adversary/behaviours/registry.ts';
import type { Clients } from '../../election/clients/client-form.ts';
import { parseClients } from '../../election/clients/client-form.ts';
import type { Flags } from '../../election/definition/flags.ts';
import type { DetectorSpec } from '../../election/detectors/registry.ts';
import { parseDetector } from '../../election/detectors/registry.ts';
import { jsonPointer, LabError } from '../../errors.ts';
import { createCut } from '../../simulation/faults/cuts.ts';
import type { Latency } from '../../simulation/faults/latency.ts';
import { parseLatency } from '../../simulation/faults/latency.ts';
import type { Cut, Schedule, ScheduledFault } from '../../simulation/faults/schedule.ts';
import type { NamedCrash } from '../../simulation/faults/text.ts';
import {
  FAULT_FLAGS,
  leaderCrashesIn,
  parseCrashes,
  parseFaultText,
} from '../../simulation/faults/text.ts';
import type { Workload } from '../../simulation/plan/workload.ts';
import { parseWorkload } from '../../simulation/plan/workload.ts';
import { responseOf } from '../document/response-schema.ts';
import type { ThreatModel } from '../document/threat-model.ts';
import { adversariesOf, mayForge } from '../document/threat-model.ts';

/** Whether an adversary has a budget with each bound above 0. */
export function isForging({ adversaries }: ThreatModel): boolean {
  return Object.values(adversaries).some(mayForge);
}

/** The parsed texts and names. */
export interface Script {
  readonly latency: Latency;
  readonly flags: Flags;
  readonly detector: DetectorSpec | undefined;
  readonly workload: Workload | undefined;
  readonly clients: Clients | undefined;
  /** By the name of the adversary. */
  readonly behaviours: ReadonlyMap<string, readonly Behaviour[]>;
  readonly crashes: readonly NamedCrash[];
  readonly faults: readonly ScheduledFault[];
  readonly notice: Schedule['detector'];
}

/** Parses the texts. Throws LabError `arguments` with the pointer of the first malformed member. */
export function readScript(model: ThreatModel): Script {
  const { latency, flags, detector, resource, clients } = model.network.election;
  const { faults } = model;
  const crash = faults?.crash ?? '';
  const { leaders, others } = parsed(['faults', 'crash'], crash, leaderCrashesIn);
  const at = (member: string) => ['network', 'election', member];
  return {
    latency: parsed(at('latency'), String(latency), parseLatency),
    flags: parsed(at('flags'), flags, readFlags),
    detector: detector === undefined ? detector : parsed(at('detector'), detector, parseDetector),
    workload: resource === undefined ? resource : parsed(at('resource'), resource, parseWorkload),
    clients: clients === undefined ? clients : parsed(at('clients'), clients, parseClients),
    behaviours: new Map(
      adversariesOf(model).map(([name, adversary]) => [
        name,
        responseOf(adversary).behaviours.map((behaviour) => BEHAVIOURS[behaviour]),
      ]),
    ),
    crashes: others === '' ? [] : parsed(['faults', 'crash'], others, parseCrashes),
    faults: FAULT_FLAGS.flatMap((flag) => {
      const text = faults?.[flag];
      if (flag === 'crash') return leaders;
      if (text === undefined) return [];
      return parsed(['faults', flag], text, (value) => parseFaultText(flag, value));
    }),
    notice: faults?.notice ?? 'crashes',
  };
}

/** Adds the path of the member to the refusals of its parser. */
function parsed<Text, T>(path: readonly string[], text: Text, parse: (text: Text) => T): T {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof LabError)) throw error;
    const [name = ''] = path.slice(-1);
    const { message } = error;
    const detail = message.startsWith(`${name} `) ? message.slice(name.length + 1) : message;
    const faults = [{ pointer: jsonPointer(path), detail }];
    throw new LabError('arguments', `${path.join('.')} ${detail}`, faults);
  }
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

/** The script without the crashes and faults of ranks above `nodes`. */
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
    case 'jump':
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
 * Writes cuts by halves and majorities as links among the members: a rank without a node would shift them.
 * Protocols with a store have no such rank.
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
