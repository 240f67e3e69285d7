/**
 * @module
 * What a driver of the contract implements, and the play of a scenario with it: which nodes are meant, which of them
 * are in reach, and whether the leaders at each rest are the expected ones.
 */

import { PROTOCOLS } from '../../../src/election/registry.ts';
import type {
  ContractProtocol,
  Disturbance,
  DriverName,
  Expected,
  Scenario,
  Who,
} from './scenarios.ts';
import { JOINER, NODES } from './scenarios.ts';

/** A disturbance of nodes that are named by number. */
export type Act = Exclude<Disturbance, { readonly node: Who }> | NamedAct;
type NamedAct =
  | { readonly type: 'kill' | 'pause' | 'resume' | 'isolate'; readonly node: number }
  | { readonly type: 'return'; readonly node: number; readonly amnesia: boolean };

/** One leader of all nodes in reach. */
export interface Agreed {
  readonly leader: number;
  readonly epoch: number;
}

/** An election under way. */
export interface Stage {
  act(act: Act): Promise<void>;
  /**
   * Runs on until nothing more happens without another disturbance. Returns what the nodes in reach may agree on then,
   * each once: a driver that explores all schedules reaches several worlds. Null is no agreement. `isLed` says whether
   * an agreement is expected, which real time must wait for.
   */
  rest(inReach: readonly number[], isLed: boolean): Promise<readonly (Agreed | null)[]>;
  close(): Promise<void>;
}

export interface Driver {
  readonly name: DriverName;
  /** Whether its failure detector notices nodes that are silent: paused or cut off. Else it reports crashes alone. */
  readonly noticesSilence: boolean;
  begin(scenario: Scenario, protocol: ContractProtocol): Promise<Stage>;
}

/** Why a driver cannot play a scenario with a protocol; null if it can. */
export function impossibleReason(
  { impossible }: Scenario,
  protocol: ContractProtocol,
  driver: DriverName,
): string | null {
  return impossible?.[protocol]?.[driver] ?? null;
}

/** Plays the scenario from its start. Returns what is not as expected. */
export async function played(
  driver: Driver,
  scenario: Scenario,
  protocol: ContractProtocol,
): Promise<readonly string[]> {
  const stage = await driver.begin(scenario, protocol);
  try {
    return await playedOn(stage, driver, scenario, protocol);
  } finally {
    await stage.close();
  }
}

/** The same on a stage where the nodes of the scenario have just started, or are up and in reach. */
export async function playedOn(
  stage: Stage,
  { noticesSilence }: Pick<Driver, 'noticesSilence'>,
  { starts, first, steps }: Scenario,
  protocol: ContractProtocol,
): Promise<readonly string[]> {
  const faults: string[] = [];
  const cast = new Players(starts);
  let before: Agreed | null = null;
  const rest = async (expected: Expected, what: string) => {
    // Without a report no node begins an election.
    const isUnnoticed = cast.isSilent && !noticesSilence && usesDetector(protocol);
    const wanted = isUnnoticed ? null : expected;
    const earlier = before;
    const reached = await stage.rest(cast.inReach, wanted !== null);
    for (const each of reached) {
      if (!isExpected(each, wanted, earlier)) {
        const shown = each === null ? 'no leader' : `leader ${each.leader} in epoch ${each.epoch}`;
        faults.push(`${what}: expected ${wanted ?? 'no leader'}, got ${shown}`);
      }
      before = each ?? before;
      cast.leader = each?.leader ?? cast.leader;
    }
  };
  await rest(first[protocol], 'after the start');
  for (const { disturbances, expected } of steps) {
    for (const disturbance of disturbances) {
      for (const act of cast.named(disturbance)) {
        await stage.act(act);
        cast.note(act);
      }
    }
    await rest(expected[protocol], `after ${disturbances.map(({ type }) => type).join(', ')}`);
  }
  return faults;
}

/** Protocols without timers of their own act when a failure detector reports a node. */
function usesDetector(protocol: ContractProtocol): boolean {
  const { family } = PROTOCOLS[protocol];
  return family === 'bully' || family === 'ring';
}

function isExpected(found: Agreed | null, wanted: Expected, before: Agreed | null): boolean {
  if (found === null || wanted === null) return found === wanted;
  if (typeof wanted === 'number') return found.leader === wanted;
  if (before === null) return true;
  const isSame = found.leader === before.leader && found.epoch === before.epoch;
  return found.epoch > before.epoch || (wanted === 'one' && isSame);
}

/** Who is up, awake and in reach. */
class Players {
  leader: number | null = null;
  readonly #members: Set<number>;
  readonly #down: Set<number>;
  readonly #paused = new Set<number>();
  #isolated: number | null = null;

  constructor(starts: readonly number[]) {
    this.#members = new Set(Array.from({ length: NODES }, (_, index) => index + 1));
    this.#down = new Set([...this.#members].filter((node) => !starts.includes(node)));
  }

  get inReach(): readonly number[] {
    return this.#up.filter((node) => !this.#paused.has(node) && node !== this.#isolated);
  }

  /** Whether a node is up and cannot be heard. */
  get isSilent(): boolean {
    return this.#isolated !== null || this.#paused.size > 0;
  }

  named(disturbance: Disturbance): readonly Act[] {
    if (!('node' in disturbance)) return [disturbance];
    return this.#nodesOf(disturbance.node).map((node) => ({ ...disturbance, node }));
  }

  note(act: Act): void {
    if (act.type === 'kill') this.#down.add(act.node);
    if (act.type === 'return') this.#down.delete(act.node);
    if (act.type === 'pause') this.#paused.add(act.node);
    if (act.type === 'resume') this.#paused.delete(act.node);
    if (act.type === 'isolate') this.#isolated = act.node;
    if (act.type === 'heal') this.#isolated = null;
    if (act.type === 'join') this.#members.add(JOINER);
  }

  get #up(): readonly number[] {
    return [...this.#members].filter((node) => !this.#down.has(node));
  }

  #nodesOf(who: Who): readonly number[] {
    if (typeof who === 'number') return [who];
    if (who === 'down') return [...this.#down];
    // A paused leader is meant, too, when it resumes.
    const [paused] = this.#paused;
    const up = this.#up;
    const leader = up.find((node) => node === this.leader) ?? up.at(-1) ?? 0;
    if (who === 'leader') return [paused ?? leader];
    return up.filter((node) => node !== leader).slice(0, 1);
  }
}

/** The agreement of nodes that follow these leaders; null if they do not agree, or their leader is not among them. */
export function agreedOn(
  following: readonly {
    readonly node: number;
    readonly leader: number | null;
    readonly epoch: number;
  }[],
): Agreed | null {
  const [first] = following;
  if (first === undefined || first.leader === null) return null;
  const { leader, epoch } = first;
  const isShared = following.every((each) => each.leader === leader && each.epoch === epoch);
  return isShared && following.some(({ node }) => node === leader) ? { leader, epoch } : null;
}
