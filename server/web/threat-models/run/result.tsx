/**
 * @module
 * The report of a run: the verdict as a sentence, measurement against theory, and what was spent.
 */

import { count, counted } from '../../parts/numbers.ts';
import { TableHead } from '../../parts/table-head.tsx';
import { Verdict } from '../../parts/verdict.tsx';
import { percent } from '../catalogue-data.ts';
import { IntervalChart } from './interval-chart.tsx';
import type { RunReport } from './report.ts';

const NUMBERS = ['Runs', 'Measured', 'Interval', 'Theory'];

export function Result({ report }: { readonly report: RunReport }) {
  const { verdict, results } = report;
  return (
    <div class="result">
      <p class="sentence" role="status">
        <Verdict value={verdict.value} word={`${verdict.value.toUpperCase()}:`}>
          {verdict.sentence.replace(/^(?:True|False|Unknown): /, '')}
        </Verdict>
      </p>
      <IntervalChart report={report} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <div class="scrolling" tabIndex={0}>
        <table>
          <caption>Measured, and the closed form beside it</caption>
          <TableHead
            columns={['Protocols', 'Verdict', ...NUMBERS, 'Closed form']}
            numbers={NUMBERS}
          />
          <tbody>
            {results.map((result) => (
              <ResultRow key={result.protocols.join(' ')} result={result} />
            ))}
          </tbody>
        </table>
      </div>
      <Observations report={report} />
      <Responses report={report} />
    </div>
  );
}

function ResultRow({ result }: { readonly result: RunReport['results'][number] }) {
  const { protocols, verdict, measured, theory } = result;
  const { runs, wins, frequency, interval } = measured;
  return (
    <tr>
      <td>{protocols.length === 0 ? 'no election' : protocols.join(', ')}</td>
      <td>
        <Verdict value={verdict.value} />
      </td>
      <td class="number">
        {count(wins)} of {count(runs)}
      </td>
      <td class="number">{percent(frequency)}</td>
      <td class="number">
        {interval === null ? 'every run is the same' : interval.map(percent).join(' to ')}
      </td>
      <td class="number">{theory.probability === null ? '–' : percent(theory.probability)}</td>
      <td>{theory.formula}</td>
    </tr>
  );
}

function Observations({ report: { results } }: { readonly report: RunReport }) {
  const observed = results.filter(({ observations }) => observations !== undefined);
  if (observed.length === 0) return null;
  return (
    <dl class="observations">
      {observed.map(({ protocols, observations }) => (
        <div key={protocols.join(' ')}>
          <dt>This run{protocols.length === 0 ? '' : ` with ${protocols.join(', ')}`}</dt>
          <dd>
            {Object.entries(observations ?? {})
              .map(([name, value]) => `${name} ${Number(value.toPrecision(4))}`)
              .join(', ')}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Responses({ report }: { readonly report: RunReport }) {
  const { response, elections, replay } = report;
  return (
    <dl class="prose">
      {response.map(({ adversary, protocols, count, where, behaviours, reason }) => (
        <div key={`${adversary} ${protocols.join(' ')}`}>
          <dt>Response of {adversary}</dt>
          <dd>
            It forges {forged(count)}
            {count === 'none' ? '' : `, ${where}`}, and{' '}
            {behaviours.length === 0 ? 'follows the protocol' : `uses ${behaviours.join(', ')}`}.{' '}
            {reason}
          </dd>
        </div>
      ))}
      <div>
        <dt>Elections</dt>
        <dd>
          {count(elections.held)} held, {counted(elections.messages, 'message')}
        </dd>
      </div>
      <div>
        <dt>The same report</dt>
        <dd>
          <code>{replay}</code>
        </dd>
      </div>
    </dl>
  );
}

function forged(count: string): string {
  if (count === 'none') return 'no identity';
  return count === 'one' ? 'one identity' : `${count} identities`;
}
