/**
 * @module
 * The result of a sweep: charts, a closer look at a part of the grid, the table of cells, and the files.
 */

import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';

import type { Picture } from '../../../src/experiment/charts/draw-sweep.ts';
import { drawSweep } from '../../../src/experiment/charts/draw-sweep.ts';
import { Downloads, readResult } from '../parts/download.tsx';
import { ErrorNotice } from '../parts/notice.tsx';
import { pngBlob, svgBlob } from '../parts/picture-files.ts';
import { keepInAddress } from '../shell/router.ts';
import { asksForSignIn } from '../shell/sign-in.tsx';
import type { Catalogue } from '../threat-models/catalogue-data.ts';
import { CellTable } from './cell-table.tsx';
import { PickableChart } from './pickable-chart.tsx';
import type { CellRow, SweepJob, SweepResult } from './picture-input.ts';
import { sweepResult } from './picture-input.ts';
import type { AxisRange } from './ranges.ts';
import { queryOfRange, rangesOf } from './ranges.ts';
import { Refine } from './refine.tsx';

interface ResultsProps {
  readonly job: SweepJob;
  /** The threat model without the settings of the sweep. */
  readonly document: unknown;
  readonly catalogue: Catalogue;
  readonly query: Readonly<Record<string, string>>;
}

export function Results({ job, document, catalogue, query }: ResultsProps) {
  const { rows, error } = useCells(job);
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
function useCells({ id, links }: SweepJob) {
  const read = useSignal<{ readonly rows: readonly CellRow[] | null; readonly error: unknown }>({
    ...{ rows: null, error: null },
  });
  useEffect(() => {
    let isCurrent = true;
    readResult(links.cells, 'application/json')
      .then(async (response): Promise<unknown> => response.json())
      .then((rows) => {
        // The contract gives the table this type.
        if (isCurrent) read.value = { rows: rows as readonly CellRow[], error: null };
      })
      .catch((error: unknown) => {
        if (isCurrent && !asksForSignIn(error)) read.value = { rows: null, error };
      });
    return () => {
      isCurrent = false;
    };
  }, [id]);
  return read.value;
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
