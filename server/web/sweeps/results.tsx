/**
 * @module
 * The result of a sweep: charts, a closer look at a part of the grid, the table of cells, and the files.
 */

import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { roleOf } from '../../../src/experiment/charts/axes.ts';
import type { Picture } from '../../../src/experiment/charts/draw-sweep.ts';
import { drawSweep } from '../../../src/experiment/charts/draw-sweep.ts';
import { DARK_RULES } from '../../../src/experiment/charts/palette.ts';
import {
  refusalsOf,
  refusalText,
  resultTable,
  seedNote,
} from '../../../src/experiment/charts/result-table.ts';
import { Downloads, readResult } from '../parts/download.tsx';
import { ChoiceField } from '../parts/fields.tsx';
import { ErrorNotice } from '../parts/notice.tsx';
import { Scrolling } from '../parts/scrolling.tsx';
import { TableHead } from '../parts/table-head.tsx';
import type { VerdictValue } from '../parts/verdict.tsx';
import { Verdict } from '../parts/verdict.tsx';
import { go, keepInAddress } from '../shell/router.ts';
import { useAnswer } from '../shell/use-answer.ts';
import { useAttempt } from '../shell/use-attempt.ts';
import type { Catalogue } from '../threat-models/catalogue-data.ts';
import { addressOfRequest } from './document.ts';
import { PickableChart } from './pickable-chart.tsx';
import type { CellRow, SweepJob, SweepResult } from './picture-input.ts';
import { sweepResult } from './picture-input.ts';
import type { AxisRange } from './plan.ts';
import {
  isWhole,
  isWithin,
  queryOfRange,
  rangesOf,
  refinedRequest,
  refinedValues,
} from './plan.ts';

interface ResultsProps {
  readonly job: SweepJob;
  /** The threat model without the settings of the sweep. */
  readonly document: unknown;
  readonly catalogue: Catalogue;
  readonly query: Readonly<Record<string, string>>;
}

export function Results({ job, document, catalogue, query }: ResultsProps) {
  const { value: rows, error } = useAnswer(() => readCells(job), job.id);
  const result = useMemo(
    () => (rows === null ? null : sweepResult(job, rows, document)),
    [rows, job.id, document],
  );
  const pictures = useMemo(() => (result === null ? [] : drawSweep(result.input)), [result]);
  if (result === null) {
    return error === null ? (
      <p class="loading">Loading the results…</p>
    ) : (
      <ErrorNotice error={error} />
    );
  }
  const ranges = rangesOf(query, result.axes);
  const choose = (chosen: readonly AxisRange[]) => {
    keepInAddress(Object.assign({}, ...chosen.map(queryOfRange)));
  };
  return (
    <>
      <section aria-labelledby="charts">
        <h2 id="charts">Charts</h2>
        {pictures.map((picture) => (
          <Chart key={picture.name} id={job.id} {...{ picture, result, ranges, choose }} />
        ))}
      </section>
      <Refine {...{ job, document, catalogue, ranges, choose }} />
      <CellTable result={result} ranges={ranges} />
      <Files id={job.id} />
    </>
  );
}

/** The rows of the table of cells. */
async function readCells({ links }: SweepJob): Promise<readonly CellRow[]> {
  return (await readResult(links.cells, 'application/json')).json();
}

interface ChartProps {
  readonly id: string;
  readonly picture: Picture;
  readonly result: SweepResult;
  readonly ranges: readonly AxisRange[];
  readonly choose: (ranges: readonly AxisRange[]) => void;
}

function Chart({ id, picture, result, ranges, choose }: ChartProps) {
  const { name, svg } = picture;
  return (
    <figure class="chart">
      <PickableChart {...{ picture, result, ranges, choose }} />
      <figcaption class="controls">
        <Downloads
          files={[
            {
              label: `${picture.kind.replace('-', ' ')} as SVG`,
              name: `${id}.${name}.svg`,
              read: () => svgBlob(svg),
            },
            {
              label: `${picture.kind.replace('-', ' ')} as PNG`,
              name: `${id}.${name}.png`,
              read: () => pngBlob(svg),
            },
          ]}
        />
      </figcaption>
    </figure>
  );
}

const FORMS = [
  ['CSV', 'text/csv', 'csv'],
  ['JSON lines', 'application/jsonl', 'jsonl'],
  ['Parquet', 'application/vnd.apache.parquet', 'parquet'],
] as const;

function Files({ id }: { readonly id: string }) {
  return (
    <section aria-labelledby="files">
      <h2 id="files">Files</h2>
      <p>
        The table of cells has a row for each cell and protocol. The table of runs has a row for
        each run and protocol, with its seed and the command that repeats it.
      </p>
      {(['cells', 'rows'] as const).map((table) => (
        <div key={table} class="controls">
          <Downloads
            files={FORMS.map(([form, type, ending]) => ({
              label: `${table === 'cells' ? 'Cells' : 'Runs'} as ${form}`,
              name: `${id}.${table}.${ending}`,
              read: async () => (await readResult(`/v1/jobs/${id}/results/${table}`, type)).blob(),
            }))}
          />
        </div>
      ))}
    </section>
  );
}

interface RefineProps extends Omit<ResultsProps, 'query'> {
  readonly ranges: readonly AxisRange[];
  readonly choose: (ranges: readonly AxisRange[]) => void;
}

/**
 * A closer look at a part of the grid: the part, and a new sweep of it with one more value between each two.
 */
function Refine({ job, document, catalogue, ranges, choose }: RefineProps) {
  const { error, attempt } = useAttempt();
  if (ranges.length === 0) return null;
  const refine = () =>
    attempt(async () => {
      go(['sweeps'], await addressOfRequest(refinedRequest(job, ranges, document), catalogue));
    });
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
          <ChoiceField
            key={end}
            label={`${name} ${end}`}
            value={String(range[end])}
            options={values.map(String)}
            set={(value) => {
              const chosen = { from, to, [end]: Number(value) };
              const ends = [chosen.from, chosen.to].toSorted((a, b) => a - b);
              change({ ...range, from: ends[0] ?? from, to: ends[1] ?? to });
            }}
          />
        ))}
      </div>
    </fieldset>
  );
}

/** Rows that are shown at first. */
const ROWS_SHOWN = 100;

interface CellTableProps {
  readonly result: SweepResult;
  readonly ranges: readonly AxisRange[];
}

/** The table of the cells of a sweep, and the cells that the document refuses with the reasons. */
function CellTable({ result: { axes, cells, input }, ranges }: CellTableProps) {
  const isLong = useSignal(false);
  const isPart = !ranges.every(isWhole);
  const chosen = isPart ? cells.filter((cell) => isWithin(ranges, cell)) : cells;
  const { columns, rows } = resultTable(axes, chosen);
  const shown = isLong.value ? rows : rows.slice(0, ROWS_SHOWN);
  const isNumber = columns.map(({ name }, index) => {
    const axis = axes[index];
    return axis === undefined ? !WORDS.has(name) : roleOf(axis) !== 'names';
  });
  const seeds = seedNote(input.seedRule, cells);
  return (
    <section aria-labelledby="cells">
      <h2 id="cells">Cells</h2>
      {isPart ? <p>The chosen part of the grid.</p> : null}
      <Scrolling label="The table of cells">
        <table>
          <TableHead
            columns={columns.map(({ name }) => wordsOf(name))}
            numbers={columns.flatMap(({ name }, index) => (isNumber[index] ? wordsOf(name) : []))}
          />
          <tbody>
            {shown.map((row) => (
              <tr key={row.join(' ')}>
                {row.map((text, index) => (
                  <td key={columns[index]?.name} class={isNumber[index] ? 'number' : undefined}>
                    {columns[index]?.name === 'verdict' ? <VerdictText text={text} /> : text}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Scrolling>
      {rows.length === shown.length ? null : (
        <p>
          <button
            type="button"
            onClick={() => {
              isLong.value = true;
            }}
          >
            Show all {rows.length} rows
          </button>
        </p>
      )}
      {seeds === null ? null : <p class="note">Seeds: {seeds}</p>}
      <Refusals axes={axes} cells={cells} />
    </section>
  );
}

/** Columns of text. */
const WORDS: ReadonlySet<string> = new Set(['protocol', 'verdict']);

function wordsOf(column: string): string {
  return column.replaceAll('_', ' ');
}

function VerdictText({ text }: { readonly text: string }) {
  const value = VALUES.find((each) => each === text);
  return value === undefined ? <>{text}</> : <Verdict value={value} />;
}

const VALUES: readonly VerdictValue[] = ['true', 'false', 'unknown'];

function Refusals({ axes, cells }: Pick<SweepResult, 'axes' | 'cells'>) {
  const refusals = refusalsOf(axes, cells);
  if (refusals.length === 0) return null;
  return (
    <>
      <h3>Cells that the document refuses</h3>
      <ul>
        {refusals.map((refusal) => (
          <li key={refusal.reason}>{refusalText(refusal)}</li>
        ))}
      </ul>
    </>
  );
}

/** Pixels of the PNG file for each of the picture. */
const SCALE = 2;

/** Pictures as files: SVG as it is, and PNG in light colours and twice the size. */
function svgBlob(svg: string): Blob {
  return new Blob([svg], { type: 'image/svg+xml' });
}

/** The picture as pixels. A file has no reader whose colours it could follow, so these are the light ones. */
async function pngBlob(svg: string): Promise<Blob> {
  const url = URL.createObjectURL(svgBlob(svg.replace(DARK_RULES, '')));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement('canvas');
    canvas.width = SCALE * image.naturalWidth;
    canvas.height = SCALE * image.naturalHeight;
    canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) => {
      canvas.toBlob((blob) => {
        if (blob === null) reject(new Error('The picture is too large for a PNG file.'));
        else resolve(blob);
      }, 'image/png');
    });
  } finally {
    URL.revokeObjectURL(url);
  }
}
