/**
 * @module
 * A majority and a minority that are cut off from each other and meet again, once from the start and once
 * with the leader in the minority. The majority are ranks 1 to ⌊n/2⌋ + 1. Bully needs no majority, so that
 * each side has a leader. In Raft a leader needs the votes of a majority of all members; an old leader in
 * the minority leads on in a term that is over, unless it counts answers (checkQuorum).
 */

import type { Flags } from '../../election/definition/flags.ts';
import { capitalized } from '../../printable.ts';
import type { LeadershipChange } from '../run/audit.ts';
import type { PlayedRun } from './played-run.ts';
import { auditOf, leadersAt, measuresOf } from './played-run.ts';
import type { RunScript, Scenario, ScenarioSettings } from './scenario.ts';
import { defineScenario, listed, ranksTo, readRuns, stageRun } from './scenario.ts';

/** Now n leads and is followed: a Raft node stands after 379 ticks at the latest. */
const CUT_AT = 600;
/** Some 20 time-outs later: with 20 elections the votes are not split every time. */
const HEALED_AT = 4600;

const BROKEN = 'broken from the start';
const LED = 'leader n in the minority';
const CHECKED = 'leader n in the minority, checkQuorum';

/** What came of one run. */
type Sides = {
  /** How many leaders of their own the majority follow just before the network heals. */
  readonly majority: number;
  /** Nodes of the minority that lead then. */
  readonly minority: readonly number[];
  /** Whether one of these leads in an earlier term than the leader of the majority. */
  readonly outdated: boolean;
  /** Number of nodes that led in one term, at most; null if elections have no number. */
  readonly leadersPerTermMax: number | null;
  /** Whether all follow one leader at the end. */
  readonly agreed: boolean;
};

const SIDES: Sides = {
  majority: 1,
  minority: [],
  outdated: false,
  leadersPerTermMax: null,
  agreed: true,
};
const RAFT_SIDES: Sides = { ...SIDES, leadersPerTermMax: 1 };

export const SPLIT_BRAIN_BULLY = defineMinority({
  name: 'split-brain-bully',
  aliases: ['minority-bully'],
  title: 'A leader in the minority and one in the majority, both legitimate in Bully',
  explanation:
    'The highest ranks, too few for a majority, are cut off. Bully elects the highest that answers, on either side, and nothing in its messages says which leader is the newer one. After healing they agree only because the detector watches links. The pair split-brain-raft has the same partition.',
  source:
    'H. Garcia-Molina, Elections in a Distributed Computing System, IEEE Trans. Computers C-31(1), 1982: assumes that a node which does not answer in time has failed',
  protocol: 'bully-oneshot',
  runs: { broken: BROKEN, led: LED },
  expect: (nodes) => ({
    broken: { ...SIDES, minority: [nodes] },
    led: { ...SIDES, minority: [nodes] },
  }),
});

export const SPLIT_BRAIN_RAFT = defineMinority({
  name: 'split-brain-raft',
  aliases: ['minority-raft'],
  title: 'Raft elects no leader in a minority, though an old leader may remain there',
  explanation:
    'In the first run the minority stands again and again (VOTE) and wins nothing. In the second leader n is cut off: the majority elects another in a later term, and n leads on in its own, which any fence on the term refuses. In the third n gets no answer of a majority for a time-out and steps down.',
  source:
    'D. Ongaro and J. Ousterhout, In Search of an Understandable Consensus Algorithm, USENIX ATC 2014, section 5.2; checkQuorum: D. Ongaro, Consensus: Bridging Theory and Practice, Stanford 2014, section 6.2',
  protocol: 'raft',
  runs: { broken: BROKEN, led: LED, checked: CHECKED },
  expect: (nodes) => ({
    broken: RAFT_SIDES,
    led: { ...RAFT_SIDES, minority: [nodes], outdated: true },
    checked: RAFT_SIDES,
  }),
});

function defineMinority<Key extends string>(
  given: Pick<Scenario, 'name' | 'aliases' | 'title' | 'explanation' | 'source'> &
    Pick<RunScript, 'protocol'> & {
      readonly runs: Readonly<Record<Key, string>>;
      readonly expect: (nodes: number) => { readonly [Each in Key]: Sides };
    },
): Scenario {
  const { protocol, runs: names, ...facts } = given;
  const checked: Flags = { checkQuorum: 'on' };
  const namesInOrder = Object.values<string>(names);
  return defineScenario<Readonly<Record<string, Sides>>>({
    ...facts,
    nodes: { usual: 5, min: 3, max: 16 },
    stage: (setting) =>
      namesInOrder.map((run) =>
        staged(setting, { protocol, run, flags: run === CHECKED ? checked : undefined }),
      ),
    observe: (runs) => readRuns(runs, names, observe),
    describe: (outcome) =>
      Object.values(outcome)
        .map((sides, index) => `${namesInOrder[index]}: ${described(sides)}`)
        .join('; '),
    figures: (runs) => {
      const split = readRuns(runs, names, (run) => measuresOf(run).ticksSplit);
      return Object.fromEntries(
        Object.entries<number>(split).map(([key, ticks]) => [
          `splitTicks${capitalized(key)}`,
          ticks,
        ]),
      );
    },
  });
}

/** The run ends at rest, some time after the network has healed. */
function staged(setting: ScenarioSettings, script: RunScript) {
  const isFromStart = script.run === BROKEN;
  const from = isFromStart ? 0 : CUT_AT;
  return stageRun(setting, {
    ...script,
    initiators: isFromStart ? undefined : [setting.nodes],
    faults: [{ type: 'partition', cut: { kind: 'minority' }, from, to: HEALED_AT }],
    watches: 'links',
    audit: true,
  });
}

function observe(run: PlayedRun): Sides {
  const first = Math.floor(run.simulation.plan.nodes / 2) + 2;
  const leading = leadingAt(run, HEALED_AT - 1);
  const minority = leading.filter(({ node }) => node >= first);
  const termMax = Math.max(0, ...leading.map(({ epoch }) => epoch));
  const followed = leadersAt(run, ranksTo(first - 1), HEALED_AT - 1);
  return {
    majority: followed.filter((leader) => leader < first).length,
    minority: minority.map(({ node }) => node),
    outdated: minority.some(({ epoch }) => epoch < termMax),
    leadersPerTermMax: measuresOf(run).leadersPerEpochMax,
    agreed: run.outcome.agreed,
  };
}

function described({ majority, minority, outdated, leadersPerTermMax, agreed }: Sides): string {
  const led = `${listed(minority)} leads in the minority${outdated ? ', in an earlier term' : ''}`;
  const terms = leadersPerTermMax === null ? '' : `, never more than ${leadersPerTermMax} a term`;
  return `the majority follow ${majority === 1 ? 'one leader' : `${majority} leaders`} of their own and ${led}${terms}; healed, ${
    agreed ? 'all follow one' : 'they do not agree'
  }`;
}

/** Nodes that lead themselves after tick `t`, ascending, with their epochs. */
function leadingAt(run: PlayedRun, t: number): LeadershipChange[] {
  const last = new Map<number, LeadershipChange>();
  for (const change of auditOf(run).trail()) {
    if (change.at <= t) last.set(change.node, change);
  }
  return [...last.values()]
    .filter(({ leads }) => leads)
    .toSorted((left, right) => left.node - right.node);
}
