/**
 * @module
 * The report of a check.
 */

import type { TracedAction } from '../../checking/traces/trace.ts';
import type { Truth } from '../../election/properties.ts';
import { traceLinesOf } from '../../experiment/checks/walked-world.ts';
import { formatCount } from '../figures.ts';
import type { Block, Report } from '../report.ts';
import { sentenceBlock } from '../report.ts';
import type { CheckOutput } from './output.ts';

type Rings = NonNullable<CheckOutput['rings']>;
type Example = Pick<
  Extract<CheckOutput, { readonly result: 'violated' }>,
  'actions' | 'cycleFrom' | 'rises'
>;

/** What was checked, what each property is, how much was visited, the result, and the list of actions. */
export function checkBlocks(output: CheckOutput): Report {
  const { words, properties, rings } = output;
  return [
    ...(rings === undefined ? [] : ringBlocks(rings, output.ring)),
    sentenceBlock(words.instance),
    {
      type: 'facts',
      rows: properties.map(({ name, kind, value, description }) => {
        return [name, `${value}; ${kind}: ${description}`];
      }),
    },
    ...unclaimedBlocks(output),
    ...words.explored.map((text) => sentenceBlock(text)),
    ...outcomeBlocks(output),
  ];
}

/** The result, and the list of actions of a violation. */
function outcomeBlocks(output: CheckOutput): Block[] {
  const { result, words, store } = output;
  return [
    sentenceBlock(words.outcome, VERDICTS[result]),
    ...words.further.map((text) => sentenceBlock(text)),
    ...('actions' in output ? [actionsBlock(output, store)] : []),
  ];
}

const VERDICTS: Readonly<Record<CheckOutput['result'], Truth>> = {
  exhausted: 'true',
  capped: 'unknown',
  violated: 'false',
  reachable: 'false',
};

/** The list of actions of an example. `store` is the rank of the store. */
export function actionsBlock({ actions, cycleFrom, rises }: Example, store: number | null): Block {
  return {
    type: 'lines',
    title: 'Actions',
    lines: traceLinesOf(tracedActions(actions), store, { cycleFrom, rises }),
  };
}

/** The schema of actions leaves their members open, which are those that the checker made. */
export function tracedActions(actions: Example['actions']): readonly TracedAction[] {
  return actions as readonly TracedAction[]; // Their schema is open.
}

/** The properties that the protocol does not claim, and why. They are checked only if it claims none. */
function unclaimedBlocks({ protocol, unclaimed, properties }: CheckOutput): Block[] {
  if (unclaimed.length === 0) return [];
  const isChecked = properties.some(({ name }) => name === unclaimed[0]?.name);
  const title = isChecked
    ? `${protocol} claims none of these here:`
    : `${protocol} does not claim these here (--properties all checks them):`;
  return [
    sentenceBlock(title),
    { type: 'facts', rows: unclaimed.map(({ name, reason }) => [name, reason]) },
  ];
}

/** Every ring in short, and the totals. What follows is about the worst. */
function ringBlocks({ count, checked }: Rings, worst: readonly number[]): Block[] {
  const columns = ['worlds', 'transitions', 'depth'].map((name) => ({ name, isNumber: true }));
  const sum = (of: 'states' | 'transitions') =>
    formatCount(checked.reduce((total, each) => total + each[of], 0));
  const kinds = (['exhausted', 'violated', 'reachable', 'capped'] as const)
    .map((name) => [checked.filter(({ result }) => result === name).length, name] as const)
    .filter(([found]) => found > 0)
    .map((words) => words.join(' '));
  const all = checked.length < count ? `${checked.length} of ${count}` : String(count);
  return [
    {
      type: 'table',
      title: 'Rings',
      columns: [{ name: 'ring' }, { name: 'result' }, ...columns, { name: '' }],
      rows: checked.map(({ ring, result, states, transitions, depth, property, actions }) => [
        ...[ring.join(), result, formatCount(states), formatCount(transitions), String(depth)],
        property === null ? '' : `${property} after ${actions} actions`,
      ]),
    },
    sentenceBlock(
      `${all} rings: ${kinds.join(', ')}; ${sum('states')} worlds, ${sum('transitions')} transitions`,
    ),
    sentenceBlock(`ring ${worst.join()}:`),
  ];
}
