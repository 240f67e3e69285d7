/**
 * @module
 * The legend of a matrix: each sign with its meaning, and the effects of faults by their codes.
 */

import type { CellMark } from './cells.ts';

type Line = readonly [sign: string, tone: CellMark['tone'], meaning: string];

const ATTACKS: readonly Line[] = [
  ['○', 'harm', 'The attack works even at level L3.'],
  ['●', 'some', 'It works only at lower levels.'],
  ['·', 'none', 'It has no effect.'],
  ['?', 'unknown', 'The election fails without the attack too.'],
];

const FAULTS: readonly Line[] = [
  ['·', 'none', 'The election is over in time, with one leader.'],
  ['●', 'some', 'The runs show what the protocol states.'],
  ['✗', 'harm', 'They show something else.'],
  ['?', 'unknown', 'They do not show all that it states.'],
];

/** What the codes in the cells of a fault matrix mean. */
const EFFECTS = [
  ['ok', 'no effect'],
  ['S1', 'two leaders of one epoch, or at one time'],
  ['S2', 'live nodes follow different leaders in the end'],
  ['S3', 'the leader is not the highest live node'],
  ['M', 'two nodes hold leases at one moment'],
  ['L', 'a live node follows no live node'],
  ['leaderless', 'no live node has a live leader'],
  ['no rest', 'the election goes on without end'],
] as const;

export function Legend({ isAttack }: { readonly isAttack: boolean }) {
  return (
    <div class="matrix-legend">
      <ul>
        {(isAttack ? ATTACKS : FAULTS).map(([sign, tone, meaning]) => (
          <li key={sign}>
            <span class={`sign ${tone}`} aria-hidden="true">
              {sign}
            </span>{' '}
            {meaning}
          </li>
        ))}
        <li>
          <span class="sign" aria-hidden="true" /> An empty cell: the{' '}
          {isAttack ? 'attack' : 'fault'} does not apply.
        </li>
      </ul>
      {isAttack ? null : <Effects />}
    </div>
  );
}

function Effects() {
  return (
    <dl>
      {EFFECTS.map(([code, meaning]) => (
        <div key={code}>
          <dt>{code}</dt>
          <dd>{meaning}</dd>
        </div>
      ))}
    </dl>
  );
}
