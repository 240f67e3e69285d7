/**
 * @module
 * One run with a Byzantine node: who takes part, drawn from the seed, what each is, and what is judged of it. The
 * honest run their protocol under the level, and what each of them does not receive is known afterwards.
 */

import { symbolicKeys } from '../../../../src/adversary/keys.ts';
import type {
  Authentication,
  Level,
} from '../../../../src/election/authentication/authenticated.ts';
import { createAuthenticated } from '../../../../src/election/authentication/authenticated.ts';
import type { AnyMachine } from '../../../../src/election/definition/protocol.ts';
import { intercepted } from '../../../../src/election/intercepted.ts';
import type { Message } from '../../../../src/election/machine.ts';
import { PROTOCOLS } from '../../../../src/election/registry.ts';
import { createCast, toRank } from '../../../../src/election/world/cast.ts';
import type { Random, Seed } from '../../../../src/random.ts';
import { createRandom, deriveSeed, parseSeed, shuffled } from '../../../../src/random.ts';
import { CALM_AT, CALM_TICKS } from '../../../../src/simulation/conform/fault-runs.ts';
import { planSimulation } from '../../../../src/simulation/plan/options.ts';
import type { Plan, SimulationOptions } from '../../../../src/simulation/plan/plan.ts';
import type { Simulation } from '../../../../src/simulation/run/simulation.ts';
import { createSimulation } from '../../../../src/simulation/run/simulation.ts';
import type { Bound } from '../../../../src/simulation/run/status.ts';
import type { ColumnName } from '../columns.ts';
import { flagsOf, protocolOf } from '../columns.ts';
import type { Violation } from '../judge.ts';
import { byzantineViolations } from './judge.ts';
import type { ByzantineForm, ByzantineRowName } from './rows.ts';
import { BYZANTINE_ROWS, drawJoins, drawReturn } from './rows.ts';
import type { Said, Trick } from './tricks.ts';
import { echoing } from './tricks.ts';
import type { LateReports } from './uneven-joins.ts';
import { createLateReports, hearingLate } from './uneven-joins.ts';
import type { Wire } from './wire.ts';
import { createFlippingWire } from './wire.ts';

/** An election of six has some 200 events, in a flood some 20 times as many. */
const EVENTS_MAX = 20_000;
/** By then the first election is over. */
const ELECTION_TICKS = 120;

export interface ByzantineCell {
  readonly row: ByzantineRowName;
  readonly form: string;
  readonly column: ColumnName;
}

export interface ByzantineRun {
  readonly bound: Bound;
  readonly violations: readonly Violation[];
  /** No honest node follows anybody alive. */
  readonly isLeaderless: boolean;
  readonly messages: number;
}

/** The run of a cell under a seed. */
export function runByzantineCell(matrixCell: ByzantineCell, number: number): ByzantineRun {
  const form = formOf(matrixCell);
  const seed = parseSeed(String(number));
  const random = createRandom(seed, 'byzantine-rows', matrixCell.row);
  const { options, byzantineRanks } = drawRun(matrixCell, form, seed);
  const tricks = [...(form.tricks ?? [])];
  const said: Said[] = [];
  if (form.echoes === true) {
    const elections = [...earlierElections(options, form.level), said];
    // One while the first votes are on their way, and one at any time.
    const ticks = [random.below(CALM_AT / 4), random.below(CALM_AT)];
    const wordsOf = () => drawWords(elections, random);
    tricks.push(echoing(ticks.map((at) => ({ at, wordsOf }))));
  }
  const wire = form.flips === true ? createFlippingWire(random, 1 + random.below(30)) : null;
  const unheard = new Set<Message>();
  const reports = form.lateReports === true ? createLateReports(random) : null;
  const election = { level: form.level, election: 'this', keysSeed: seed, reports, said };
  const simulation = createLying(options, { ...election, byzantineRanks, tricks, wire, unheard });
  simulation.start();
  const bound = simulation.advance({ until: 'idle', events: EVENTS_MAX });
  const { plan } = simulation;
  const violations = byzantineViolations({
    ...{ protocol: plan.protocol, nodes: plan.nodes, absent: plan.absent, byzantineRanks, unheard },
    ...{ records: simulation.records(), end: simulation.status().ticks },
  });
  const lost = violations.find(({ property }) => property === 'L');
  const live = simulation.nodes().filter(({ rank, up }) => up && !byzantineRanks.includes(rank));
  const { total = 0 } = simulation.status().messages;
  return { bound, violations, isLeaderless: lost?.who.length === live.length, messages: total };
}

export function formOf({ row, form }: ByzantineCell): ByzantineForm {
  const found = BYZANTINE_ROWS[row].forms[form];
  if (found === undefined) throw new RangeError(`"form" expected one of ${row}, got ${form}`);
  return found;
}

function drawRun({ row, column }: ByzantineCell, form: ByzantineForm, seed: Seed) {
  const { nodes: sizes = [4, 5, 6], joins = 0, matrixCell = 'any', tricks = [] } = form;
  const { calmTicks = CALM_TICKS, echoes = false } = form;
  const protocol = protocolOf(column);
  const random = createRandom(seed, 'byzantine-matrix', row);
  const nodes = sizes[random.below(sizes.length)] ?? 4;
  const ticksMax = 1 + random.below(9);
  const inOrder = random.below(2) === 0;
  const ranks = shuffled(ranksUpTo(nodes), random);
  const byzantine = matrixCell === 'top' ? nodes : (ranks[0] ?? nodes);
  const byzantineRanks = tricks.length === 0 && !echoes ? [] : [byzantine];
  const honest = ranks.filter((rank) => !byzantineRanks.includes(rank));
  const faults = joins > 0 ? drawJoins(random, ranks.slice(0, joins)) : drawReturn(random, honest);
  const options: SimulationOptions = {
    ...{ protocol, flags: flagsOf(column), nodes, seed, trace: true },
    ring: shuffled(ranksUpTo(nodes), random),
    latency: { type: 'uniform', ticksMin: 1, ticksMax },
    fifo: inOrder || PROTOCOLS[protocol].fifo,
    schedule: {
      faults,
      calm: { at: CALM_AT, ticks: calmTicks, restart: false },
      detector: 'crashes',
    },
  };
  return { options, byzantineRanks };
}

interface Lying {
  readonly level: Level;
  /** Which election the signatures are for, from L3 on. */
  readonly election: string;
  readonly keysSeed: Seed;
  readonly byzantineRanks: readonly number[];
  readonly tricks: readonly Trick[];
  readonly wire: Wire | null;
  /** How long each waits to learn of a newcomer; null for not at all. */
  readonly reports: LateReports | null;
  /** Takes what the honest send; null if it is not needed. */
  readonly said: Said[] | null;
  /** Takes what reached an honest node and was not heard. */
  readonly unheard: Set<Message>;
}

function createLying(options: SimulationOptions, lying: Lying): Simulation {
  const { byzantineRanks, tricks } = lying;
  const plan = planSimulation(options);
  const cast = createCast(plan);
  const authentication = authenticationOf(plan, lying);
  const byzantine = (rank: number): AnyMachine => {
    const byzantineNode = {
      ...{ protocol: plan.protocol, timing: plan.timing, authentication },
      ...{ rank: toRank(rank), accomplices: [toRank(rank)], phantom: toRank(plan.nodes) },
    };
    return tricks.reduce<AnyMachine>(
      (inner, trick) => trick(inner, byzantineNode),
      createAuthenticated(cast.machineOf(rank), authentication),
    );
  };
  return createSimulation(options, (rank) =>
    byzantineRanks.includes(rank)
      ? byzantine(rank)
      : listening(cast.machineOf(rank), authentication, lying),
  );
}

function authenticationOf(plan: Plan, { level, election, keysSeed }: Lying): Authentication {
  const keysOf = symbolicKeys(keysSeed, ranksUpTo(plan.nodes).map(toRank));
  return { level, protocol: plan.protocol, election, keysOf };
}

/** An honest machine. What it sends and what it does not receive is recorded. */
function listening(
  machine: AnyMachine,
  authentication: Authentication,
  { wire, reports, said, unheard }: Lying,
): AnyMachine {
  const sealed = createAuthenticated(machine, authentication);
  const listener: typeof sealed = {
    init: sealed.init,
    step(self, state, event, effects) {
      const out = intercepted(effects, {
        send(to, message) {
          said?.push({ from: self.rank, to, sealed: message });
          effects.send(to, message);
        },
      });
      if (event.type !== 'deliver') {
        sealed.step(self, state, event, out);
        return;
      }
      const message = wire === null ? event.message : wire(event.message);
      const before = refusals(state.refused);
      if (message !== null) sealed.step(self, state, { ...event, message }, out);
      if (message === null || refusals(state.refused) > before) unheard.add(event.message);
    },
  };
  return reports === null ? listener : hearingLate(listener, reports);
}

function refusals(refused: Readonly<Record<string, number>>): number {
  return Object.values(refused).reduce((sum, count) => sum + count, 0);
}

/**
 * All that was said in two earlier elections of the same nodes on the same ring: one without the highest,
 * so that another won, and one of them all with other luck. All nodes were honest.
 */
function earlierElections(options: SimulationOptions, level: Level): readonly Said[][] {
  const { seed, schedule: _, ...same } = options;
  const luck = deriveSeed(seed, 'earlier');
  const honest = {
    level,
    keysSeed: seed,
    byzantineRanks: [],
    tricks: [],
    wire: null,
    reports: null,
  };
  return [[options.nodes], []].map((crashedBefore, index) => {
    const election = `earlier ${index}`;
    const earlier = { ...same, seed: luck, crashedBefore };
    const said: Said[] = [];
    const unheard = new Set<Message>();
    const simulation = createLying(earlier, { ...honest, election, unheard, said });
    simulation.start();
    simulation.advance({ until: ELECTION_TICKS });
    return said;
  });
}

/** The messages of one type of one of these elections. All messages would show its end, too. */
function drawWords(elections: readonly (readonly Said[])[], random: Random): readonly Said[] {
  const said = elections[random.below(elections.length)] ?? [];
  const types = [...new Set(said.map(({ sealed }) => sealed.type))];
  const type = types[random.below(Math.max(1, types.length))];
  return said.filter(({ sealed }) => sealed.type === type);
}

function ranksUpTo(nodes: number): number[] {
  return Array.from({ length: nodes }, (_, index) => index + 1);
}
