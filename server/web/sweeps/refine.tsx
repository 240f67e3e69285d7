/**
 * @module
 * A closer look at a part of the grid: the part, and a new sweep of it with one more value between each two.
 */

import { useSignal } from '@preact/signals';

import { ErrorNotice } from '../parts/notice.tsx';
import { go } from '../shell/router.ts';
import type { Catalogue } from '../threat-models/catalogue-data.ts';
import { addressOfRequest } from './document.ts';
import type { SweepJob } from './picture-input.ts';
import { refinedRequest } from './plan.ts';
import type { AxisRange } from './ranges.ts';
import { isWhole, refinedValues } from './ranges.ts';

interface RefineProps {
  readonly job: SweepJob;
  /** The threat model without the settings of the sweep. */
  readonly document: unknown;
  readonly catalogue: Catalogue;
  readonly ranges: readonly AxisRange[];
  readonly choose: (ranges: readonly AxisRange[]) => void;
}

export function Refine({ job, document, catalogue, ranges, choose }: RefineProps) {
  const error = useSignal<unknown>(null);
  if (ranges.length === 0) return null;
  const refine = async () => {
    try {
      go(['sweeps'], await addressOfRequest(refinedRequest(job, ranges, document), catalogue));
    } catch (failure) {
      error.value = failure;
    }
  };
  return (
    <section aria-labelledby="refine" class="panel refine">
      <h2 id="refine">A closer look</h2>
      <p>
        Choose a part of the grid here, or drag across a chart. The new sweep has one more value
        between each two.
      </p>
      <div class="controls">
        {ranges.map((range, index) => (
          <RangeFields
            key={range.path}
            range={range}
            change={(changed) => choose(ranges.with(index, changed))}
          />
        ))}
      </div>
      <ul class="refined">
        {ranges.map((range) => (
          <li key={range.path}>
            <code>{range.path}</code>: {refinedValues(range).join(', ')}
          </li>
        ))}
      </ul>
      <div class="controls">
        <button type="button" class="primary" onClick={() => void refine()}>
          Prepare a sweep of this part
        </button>
        <button
          type="button"
          disabled={ranges.every(isWhole)}
          onClick={() =>
            choose(
              ranges.map((range) => {
                const { values, from, to } = range;
                return { ...range, from: values[0] ?? from, to: values.at(-1) ?? to };
              }),
            )
          }
        >
          Choose the whole grid
        </button>
      </div>
      <ErrorNotice error={error.value} />
    </section>
  );
}

interface RangeFieldsProps {
  readonly range: AxisRange;
  readonly change: (range: AxisRange) => void;
}

function RangeFields({ range, change }: RangeFieldsProps) {
  const { path, values, from, to } = range;
  const name = path.split('.').at(-1);
  return (
    <fieldset>
      <legend>{path}</legend>
      <div class="controls">
        {(['from', 'to'] as const).map((end) => (
          <label key={end}>
            {name} {end}
            <select
              value={String(range[end])}
              onChange={({ currentTarget: { value } }) => {
                const chosen = { from, to, [end]: Number(value) };
                const ends = [chosen.from, chosen.to].toSorted((a, b) => a - b);
                change({ ...range, from: ends[0] ?? from, to: ends[1] ?? to });
              }}
            >
              {values.map((value) => (
                <option key={value}>{value}</option>
              ))}
            </select>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
