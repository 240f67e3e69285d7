/**
 * @module
 * Watches an election tick by tick: which leaders the honest live nodes follow. A Byzantine node that has
 * become silent counts as dead.
 */

import { hasRunDry } from '../../adversary/behaviours/timing/slow-drip.ts';
import type { Followed } from '../../adversary/followed.ts';
import { followedAmong, isSplit, servingLeader } from '../../adversary/followed.ts';
import { linearize } from '../../checking/histories/linearizability.ts';
import { registerModel } from '../../checking/histories/register.ts';
import type { Keys } from '../../election/authentication/authenticated.ts';
import type { Rank } from '../../election/machine.ts';
import { PROTOCOLS } from '../../election/registry.ts';
import { announcementTicks } from '../../election/timing.ts';
import type { LeadershipChange } from '../../simulation/run/audit.ts';
import type { Simulation } from '../../simulation/run/simulation.ts';
import { createSimulation } from '../../simulation/run/simulation.ts';
import type { Sighting } from '../properties/sighting.ts';
import type { Stage } from './stage.ts';

/** Limit of the messages of one run, which take some seconds. */
const MESSAGES_MAX = 400_000;
const EVENTS_PER_TICK_MAX = 20_000;
/** Ticks between two checks of what changes slowly. */
const LOOK_EVERY = 32;

/** What was seen, with the adversary's node that was followed. */
export interface Watch extends Sighting {
  /** The ticks of `usurpedTicks` by the rank that was followed. */
  readonly usurpedTicksOf: ReadonlyMap<number, number>;
}

/** Runs and watches the stage, with real keys if `keysOf` is given. `atEnd` receives the ended simulation. */
export function watchAttack(
  { options, ticks, judgedFrom, messagesMax = MESSAGES_MAX }: Stage,
  keysOf?: (rank: Rank) => Keys,
  atEnd?: (simulation: Simulation) => void,
): Watch {
  const simulation = createSimulation(options, undefined, keysOf);
  const adversary = new Set((options.byzantine ?? []).map(({ rank }) => rank));
  let silent: ReadonlySet<number> = new Set();
  const tally = createTally(judgedFrom);
  simulation.start();
  let nodes = simulation.nodes();
  let followed = followedAmong(nodes, adversary, silent);
  let at = 0;
  let isBroken = false;
  for (; at <= ticks; at += 1) {
    isBroken = simulation.advance({ until: at, events: EVENTS_PER_TICK_MAX }) === 'events';
    if (at % LOOK_EVERY === 0) {
      isBroken ||= messagesOf(simulation) > messagesMax;
      silent = new Set([...adversary].filter((rank) => hasRunDry(simulation.stateOf(rank))));
    }
    if (isBroken) break;
    const now = simulation.nodes();
    if (now !== nodes || at % LOOK_EVERY === 0) followed = followedAmong(now, adversary, silent);
    nodes = now;
    tally.note(at, followed);
  }
  atEnd?.(simulation);
  const isNumbered = PROTOCOLS[options.protocol].unique === 'epoch';
  const changes = simulation.audit()?.trail() ?? [];
  const resource = simulation.resource();
  const history = simulation.history();
  return {
    ...tally.counted(),
    adversaryNodes: adversary.size,
    brokenOffAt: at <= ticks ? at : null,
    ticks: Math.min(at, ticks),
    judgedTicks: Math.max(0, Math.min(at - 1, ticks) - judgedFrom + 1),
    leadersPerEpochMax: isNumbered ? leadersPerEpochMax(changes, adversary) : null,
    staleWrites: resource?.staleWrites ?? 0,
    lateWrites: resource?.lateWrites ?? 0,
    linearizable: history && linearize(registerModel(), history).value,
    messages: messagesOf(simulation),
    handOverTicks: announcementTicks(simulation.plan.timing),
  };
}

/**
 * The number of honest nodes that led in one epoch, at most. Null without such an epoch. A Byzantine node can
 * state any epoch, which is harmless unless honest nodes follow it.
 */
function leadersPerEpochMax(
  changes: readonly LeadershipChange[],
  adversary: ReadonlySet<number>,
): number | null {
  const reigns = changes.filter(({ node, epoch }) => epoch > 0 && !adversary.has(node));
  const leaders = Map.groupBy(reigns, ({ epoch }) => epoch);
  const counts = [...leaders.values()].map((own) => new Set(own.map(({ node }) => node)).size);
  return counts.length === 0 ? null : Math.max(...counts);
}

function messagesOf(simulation: Simulation): number {
  return simulation.status().messages.total ?? 0;
}

function createTally(judgedFrom: number) {
  const usurpedTicksOf = new Map<number, number>();
  let agreedTicks = 0;
  let splitTicks = 0;
  let splitTicksJudged = 0;
  let leaderChanges = 0;
  let agreed: number | null = null;
  let stretch = 0;
  let longestAgreedTicks = 0;
  let before: number | null = null;
  let last: Followed = { live: [], agreed: null, isServing: false, isUsurped: false };
  return {
    note(at: number, followed: Followed): void {
      last = followed;
      if (followed.isUsurped && followed.agreed !== null) {
        usurpedTicksOf.set(followed.agreed, (usurpedTicksOf.get(followed.agreed) ?? 0) + 1);
      }
      if (followed.agreed !== null) agreedTicks += 1;
      if (isSplit(followed)) splitTicks += 1;
      if (agreed !== null && followed.agreed !== null && followed.agreed !== agreed) {
        leaderChanges += 1;
      }
      agreed = followed.agreed ?? agreed;
      if (at < judgedFrom) return;
      if (isSplit(followed)) splitTicksJudged += 1;
      const leader = servingLeader(followed);
      stretch = leader !== null && leader === before ? stretch + 1 : 1;
      before = leader;
      if (leader !== null) longestAgreedTicks = Math.max(longestAgreedTicks, stretch);
    },
    counted: () => ({
      usurpedTicks: [...usurpedTicksOf.values()].reduce((sum, ticks) => sum + ticks, 0),
      usurpedTicksOf,
      agreedTicks,
      splitTicks,
      splitTicksJudged,
      leaderChanges,
      longestAgreedTicks,
      isUsurped: last.isUsurped,
      leader: last.agreed,
    }),
  };
}
