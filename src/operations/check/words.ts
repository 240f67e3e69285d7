/**
 * @module
 * A check and its result in sentences.
 */

import type { CheckResult } from '../../checking/check.ts';
import { CROWDED_FROM } from '../../checking/check.ts';
import type { CheckRequest } from '../../checking/check-request.ts';
import type { Reached } from '../../checking/coverage.ts';
import type { Instance } from '../../checking/instance.ts';
import { BOUND_NAMES, NO_FAULTS, START_TEXTS } from '../../checking/instance.ts';
import { clientsText } from '../../election/clients/client-form.ts';
import { PROTOCOLS } from '../../election/registry.ts';
import type { CheckedInstance } from '../../experiment/checks/answer.ts';
import { isExhausted } from '../../experiment/checks/answer.ts';
import { counted } from '../figures.ts';

/** What was checked, how much was visited, the result, and what to know about it or to do next. */
export function wordsOf(about: CheckedInstance, result: CheckResult) {
  const [outcome = '', ...further] = outcomeLines(about, result);
  return {
    instance: instanceText(about),
    explored: [exploredText(result), ...coverageLines(result)],
    outcome,
    further,
  };
}

/** How much was explored. */
function exploredText({ counts, renamings, walks }: CheckResult): string {
  const { states, transitions, depth } = counts;
  if (walks !== null) {
    const actions = `${counted(transitions, 'action')}, at most ${depth} in one`;
    return `${counted(walks.count, 'random walk')} with seed ${walks.seed}: ${actions}`;
  }
  const merged = renamings > 1 ? ' up to exchanges of nodes' : '';
  return `${counted(states, 'world')}${merged}, ${counted(transitions, 'transition')}, depth ${depth}`;
}

/** The parts of the protocol that were not reached. Only an exhausted search shows that they never are. */
function coverageLines(result: CheckResult): string[] {
  const { messages, timers, events } = result.coverage;
  const parts = [
    ['messages', messages.map(({ type, reached }) => ({ name: type, reached }))],
    ['timers', timers.map(({ timer, reached }) => ({ name: timer, reached }))],
    ['events', events.map(({ event, reached }) => ({ name: event, reached }))],
  ] as const;
  const listed = (wanted: Reached) =>
    parts
      .map(([what, all]) => [what, all.filter(({ reached }) => reached === wanted)] as const)
      .filter(([, found]) => found.length > 0)
      .map(([what, found]) => `${what} ${found.map(({ name }) => name).join(', ')}`)
      .join('; ');
  const soFar = isExhausted(result) ? '' : ' so far';
  const rows = [
    [`not reached${soFar}`, listed('never')],
    [`without effect${soFar}`, listed('ignored')],
  ];
  return rows.flatMap(([title = '', text = '']) => (text === '' ? [] : [`${title}: ${text}`]));
}

/** What is checked, on one line. `who` describes the nodes. */
export function instanceText(
  { protocol, instance, request }: CheckedInstance,
  who = [counted(instance.cast.nodes, 'node'), ...ringText(request), ...byzantineText(request)],
): string {
  const { bounds, timing, links, starts, cut, perLink, spread } = instance;
  const faults = BOUND_NAMES.filter((name) => bounds[name] !== NO_FAULTS[name]).map(
    (name) => `${name}=${bounds[name]}`,
  );
  const order = links === 'fifo' ? 'FIFO links' : 'links without order';
  const missing = cut.length > 0 ? [`no link ${cut.map((pair) => pair.join('-')).join()}`] : [];
  const most = perLink === null ? [] : [`at most ${perLink} on a link`];
  const near = spread === null ? [] : [`terms at most ${spread} apart`];
  return [
    ...[protocol, ...flagsText(request), ...who],
    ...(request.topology === undefined ? [] : [request.topology]),
    ...membersText(request),
    ...[timing, order, ...missing, ...most, ...near],
    ...[START_TEXTS[starts], `faults: ${faults.join(',') || 'none'}`],
  ].join(', ');
}

/** The ring, if it is not by rank. */
function ringText({ ring }: CheckRequest): string[] {
  const isByRank = ring.every((rank, index) => rank === index + 1);
  return isByRank ? [] : [`ring ${ring.join()}`];
}

function flagsText({ flags }: CheckRequest): string[] {
  return Object.entries(flags).map(([name, value]) => `${name}=${value}`);
}

/** The nodes that are down, absent or phantoms, those that start the election, and the resource. */
function membersText(request: CheckRequest): string[] {
  const { crashedBefore, absent = [], phantoms = [], initiators, ring, resource } = request;
  const { clients } = request;
  const given = { crashed: crashedBefore, absent, phantoms };
  const gone = Object.entries(given).flatMap(([what, ranks]) =>
    ranks.length === 0 ? [] : [`${what} ${ranks.join()}`],
  );
  const some = ring.every((rank) => initiators.includes(rank))
    ? []
    : [`initiators ${initiators.join()}`];
  return [
    ...gone,
    ...some,
    ...(resource === undefined ? [] : [`resource ${resource}`]),
    ...(clients === undefined ? [] : [`clients ${clientsText(clients)}`]),
  ];
}

/** The level of authentication and the Byzantine nodes. */
function byzantineText({ level, byzantine = [] }: CheckRequest): string[] {
  if (level === undefined) return [];
  const nodes = byzantine.map(({ rank, behaviours }) =>
    behaviours.length === 0
      ? `node ${rank} Byzantine`
      : `node ${rank} with ${behaviours.join(' and ')}`,
  );
  return [level, ...nodes];
}

/** The result, and what to know about it. */
export function outcomeLines(
  { protocol, instance, request }: CheckedInstance,
  result: CheckResult,
): string[] {
  const { goal } = request;
  const unreached = goal === undefined ? [] : [`no visited world reaches the goal: ${goal}`];
  switch (result.type) {
    case 'exhausted':
      return [
        (result.isReduced ? REDUCED : EVERY) + mergedText(result) + leftOutText(instance),
        ...(goal === undefined ? [] : [`not reachable within the bounds: ${goal}`]),
      ];
    case 'capped':
      return result.walks === null
        ? [
            `capped: ${result.detail}; the other worlds are unknown`,
            ...unreached,
            ...nextLines({ protocol, instance }, result),
          ]
        : [`capped: ${result.detail}; the other executions are unknown`, ...unreached];
    case 'violated':
      return [
        violationText(result),
        ...(result.isReduced ? [LONGER] : []),
        ...(result.walks === null ? [] : [SHORTENED]),
      ];
    default:
      return result satisfies never;
  }
}

function violationText({
  property: { name, isGoal },
  breach,
}: Extract<CheckResult, { type: 'violated' }>): string {
  return `${isGoal === true ? 'reachable' : 'violated'}: ${name}: ${breach}`;
}

const EVERY = 'exhausted: every world within the bounds was visited';
const REDUCED =
  'exhausted: all executions within the bounds are covered; of those that differ only in the order of independent actions, one was visited';
const LONGER = 'a shorter list of actions may exist: the search for it was capped';
const SHORTENED =
  'the check ended with this walk; its list of actions was shortened, and a shorter one may exist';

function mergedText({ renamings }: CheckResult): string {
  return renamings > 1 ? '; worlds that differ only in which node has which rank count as one' : '';
}

/** What may show more than a capped search did. */
function nextLines(
  { protocol, instance: { bounds, spread } }: Pick<CheckedInstance, 'protocol' | 'instance'>,
  { cause, coverage, isCrowded = false }: Extract<CheckResult, { type: 'capped' }>,
): string[] {
  const fewer = [
    ...(bounds.timeout === null && coverage.timers.length > 0
      ? ['a bound of timers such as --bounds timeout=2']
      : []),
    // A message of an early term may stay on its way while the terms grow.
    ...(spread === null && PROTOCOLS[protocol].counters.length > 0
      ? ['a limit of terms such as --spread 2']
      : []),
    ...(isCrowded ? [`a limit of messages such as --per-link ${CROWDED_FROM - 1}`] : []),
    '--walks 1000',
  ];
  const adviceFrom = (first: readonly string[]) => {
    const all = [...first, ...fewer];
    return [
      `${all.slice(0, -1).join(', ')}${all.length > 1 ? ', or ' : ''}${all.at(-1)} may show more`,
    ];
  };
  switch (cause) {
    case 'worlds':
      return adviceFrom(['a larger --max-states']);
    case 'memory':
      return adviceFrom(['a larger --max-memory']);
    case 'values':
      return adviceFrom([]);
    case 'choice': {
      const names = Object.keys(PROTOCOLS[protocol].flags);
      return names.length === 0
        ? adviceFrom([])
        : [
            `a value of --flags with which the choice has fewer values may show more: ${names.join(', ')}`,
          ];
    }
    case 'stopped':
      return ['--checkpoint FILE saves a search, and --resume FILE continues it'];
    case 'walks':
      return [];
    default:
      return cause satisfies never;
  }
}

function leftOutText({ perLink, spread }: Instance): string {
  const limits = [
    ...(perLink === null ? [] : [`more than ${perLink} messages on a link`]),
    ...(spread === null ? [] : [`terms more than ${spread} apart`]),
  ];
  return limits.length === 0 ? '' : `; executions with ${limits.join(' or ')} were not visited`;
}
