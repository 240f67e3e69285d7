/**
 * @module
 * The answer to a question: whether a difficulty is enough, the numbers behind it, and what would make possible what is
 * not.
 */

import { count, duration, percent } from '../parts/numbers.ts';
import { Scrolling } from '../parts/scrolling.tsx';
import { TableHead } from '../parts/table-head.tsx';
import { Verdict } from '../parts/verdict.tsx';
import { keepInAddress } from '../shell/router.ts';
import type { Design } from './use-answer.ts';

const WORDS = { true: 'possible', false: 'impossible', unknown: 'unknown' } as const;

export function Answer({ answer }: { readonly answer: Design }) {
  const { verdict, assumes, isPossible } = answer;
  return (
    <>
      <p class="answer-sentence">
        <Verdict value={verdict.value} word={WORDS[verdict.value]}>
          {verdict.sentence}
        </Verdict>
      </p>
      <Reason answer={answer} />
      {isPossible ? null : <Remedies answer={answer} />}
      <Numbers answer={answer} />
      <p class="meaning">{assumes}</p>
    </>
  );
}

/** What the verdict rests on: the closed form alone, or also sampled runs. */
function Reason({ answer: { verdict, check } }: { readonly answer: Design }) {
  if (check !== null) return <p>The verdict rests on {verdict.reason}.</p>;
  return (
    <p>
      The closed form gives this answer: a formula for the probability. No run has confirmed it.{' '}
      <button type="button" class="beside-text" onClick={() => keepInAddress({ check: 1 })}>
        Confirm it with sampled runs
      </button>
    </p>
  );
}

/** What would be enough, each change alone. A button makes it. */
function Remedies({ answer: { enough, defences } }: { readonly answer: Design }) {
  const { adversarySeconds, joinSeconds, nodes } = enough;
  const alone = defences.filter((each) => each.isPossible);
  return (
    <section aria-label="What would make it possible">
      <h2>What would make it possible</h2>
      <p>Each of these changes is enough alone.</p>
      <ul class="remedies">
        <Remedy
          text={`Accept a time to join of ${duration(joinSeconds)}.`}
          change={{ joinSeconds: roundedUp(joinSeconds) }}
        />
        {nodes === null ? null : (
          <Remedy text={`Have ${count(nodes)} honest nodes.`} change={{ nodes: String(nodes) }} />
        )}
        {adversarySeconds === null ? null : (
          <Remedy
            text={`Leave the adversary at most ${duration(adversarySeconds)}.`}
            change={{ adversarySeconds: roundedDown(adversarySeconds), preparationSeconds: '' }}
          />
        )}
        {alone.map(({ defence, gainBits }) => (
          <li key={defence}>
            {defence === 'together' ? 'Use all defences together' : `Use the defence ${defence}`},
            which saves {gainBits.toFixed(1)} bits.
          </li>
        ))}
      </ul>
      {alone.length === 0 ? (
        <p>No listed defence is enough, also not all of them together.</p>
      ) : null}
      <Defences defences={defences} />
    </section>
  );
}

/** Four digits, so that the change is enough also after rounding. */
function roundedUp(value: number): string {
  return String(Number((value * 1.0005).toPrecision(4)));
}

function roundedDown(value: number): string {
  return String(Number((value * 0.9995).toPrecision(4)));
}

interface RemedyProps {
  readonly text: string;
  readonly change: Readonly<Record<string, string>>;
}

function Remedy({ text, change }: RemedyProps) {
  return (
    <li>
      {text}{' '}
      <button type="button" aria-label={`Try: ${text}`} onClick={() => keepInAddress(change)}>
        Try
      </button>
    </li>
  );
}

function Defences({ defences }: { readonly defences: Design['defences'] }) {
  return (
    <Scrolling label="Defences">
      <table>
        <TableHead
          columns={['Defence', 'Enough', 'Saves', 'Then needed', 'What it does']}
          numbers={['Saves', 'Then needed']}
        />
        <tbody>
          {defences.map(({ defence, isPossible, gainBits, needed, remark }) => (
            <tr key={defence}>
              <th scope="row">{defence}</th>
              <td>{isPossible ? 'yes' : 'no'}</td>
              <td class="number">{gainBits.toFixed(1)} bits</td>
              <td class="number">{needed.realBits.toFixed(1)} bits</td>
              <td class="remark">{remark}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scrolling>
  );
}

/** The numbers of the answer, needed beside affordable. */
function Numbers({ answer }: { readonly answer: Design }) {
  const { needed, bearable, spareBits, join, adversaryAttempts, check } = answer;
  const rows: readonly (readonly [string, string])[] = [
    ['Bits that are needed', `${needed.realBits.toFixed(2)}, so ${needed.wholeBits}`],
    [
      'Bits that honest nodes can afford',
      bearable === null ? 'none' : `${bearable.realBits.toFixed(2)}, so ${bearable.wholeBits}`,
    ],
    ['Spare bits', spareBits === null ? 'none' : signed(spareBits)],
    [`Probability of the event at ${needed.wholeBits} bits`, percent(needed.probability)],
    ...(bearable === null || bearable.wholeBits === needed.wholeBits
      ? []
      : [[`The same at ${bearable.wholeBits} bits`, percent(bearable.probability)] as const]),
    ['Attempts of the adversary', count(adversaryAttempts)],
    ['One node joins, 50 % in', duration(join.one.p50Seconds)],
    ['One node joins, 95 % in', duration(join.one.p95Seconds)],
    ['The slowest node joins, 95 % in', duration(join.slowest.p95Seconds)],
    ...(check === null
      ? []
      : [[`Event in ${count(check.runs)} sampled runs`, checkText(check)] as const]),
    ...costRows(answer.honestCost),
  ];
  return (
    <table class="numbers">
      <caption>The numbers</caption>
      <tbody>
        {rows.map(([name, value]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td class="number">{value}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function checkText(check: NonNullable<Design['check']>): string {
  const { frequency, interval, theory, difficultyBits, agrees } = check;
  const [low = 0, high = 0] = interval;
  const range = `${percent(low)} to ${percent(high)}`;
  const words = agrees ? 'agrees with' : 'differs from';
  return `${percent(frequency)} at ${difficultyBits} bits (${range}), which ${words} ${percent(theory)}`;
}

/** The cost of a failure of the leader and of a cold start, if elections were simulated. */
function costRows({ elections }: Design['honestCost']): readonly (readonly [string, string])[] {
  const text = (cost: { messages: number | null; ticks: number | null }) =>
    cost.messages === null
      ? 'no leader'
      : `${count(cost.messages)} messages in ${count(cost.ticks ?? 0)} ticks`;
  return elections.flatMap((election) => [
    [
      `Failure of the leader of ${election.protocol}`,
      `${text(election)}, begun by ${election.initiators}`,
    ] as const,
    [
      `Cold start of ${election.protocol}`,
      `${text(election.coldStart)}, if all nodes start at once`,
    ] as const,
  ]);
}

/** A number with the sign that is as wide as the digits. */
function signed(value: number): string {
  return value.toFixed(2).replace('-', '\u2212');
}
