/**
 * @module
 * The chart of a design: over the bits of difficulty, the probability of the event for each advantage with the
 * allowed ε, and below it the time that an honest node takes to join with the accepted one.
 */

import { range } from 'd3-array';

import { numberAxis } from '../charts/axes.ts';
import { epsilonLabel, figure, intervalLabel } from '../charts/cells.ts';
import type { LineChart, Mark, Panel, Series } from '../charts/data.ts';
import { framedBy } from '../charts/frame.ts';
import { CODE, SMALL } from '../charts/lettering.ts';
import { drawLineChart } from '../charts/line-chart.ts';
import { captionText } from '../charts/result-table.ts';
import { probabilityAxis, visiblePart } from '../charts/series.ts';
import { slowestQuantile } from '../theory/waiting.ts';
import type { DesignReport } from './check.ts';
import { questionFor } from './questions.ts';

/** What the chart shows, and the words around it. */
export interface DesignPicture {
  /** One for each advantage, at least one. They differ in it alone. */
  readonly reports: readonly DesignReport[];
  readonly sentence: string;
  readonly replay: string;
}

/** Bits that are shown below the least and above the greatest difficulty. */
const BITS_BELOW = 6;
const BITS_ABOVE = 3;

/** The chart as an SVG document. */
export function designChart({ reports, sentence, replay }: DesignPicture): string {
  const { chart, x } = chartOf(reports);
  const { request } = firstOf(reports);
  const heading = `Difficulty for ${request.nodes} honest nodes with ${request.protocol}`;
  return framedBy(
    {
      title: heading,
      sentence,
      lines: [
        ['setup', setupText(reports), SMALL],
        ['assumes', firstOf(reports).assumes, SMALL],
        ['replay', replay, CODE],
      ],
    },
    chart,
    drawLineChart(chart, x),
  );
}

/** Protocol, budget, response and runs. The runs draw identities, and hold no election. */
function setupText(reports: readonly DesignReport[]): string {
  const { protocol, question } = firstOf(reports).request;
  const runs = new Set(reports.map(({ check }) => (check === null ? 'none' : figure(check.runs))));
  return captionText({
    protocols: [protocol],
    budgets: [
      `${reports.map(({ adversaryAttempts }) => figure(adversaryAttempts)).join(', ')} attempts`,
    ],
    responses: [questionFor(question).response],
    runs: `Runs of each mark: ${[...runs].join(', ')}, which draw identities and hold no election`,
  });
}

function chartOf(reports: readonly DesignReport[]) {
  const { request, bearable } = firstOf(reports);
  const { title } = questionFor(request.question);
  const found = reports.flatMap(({ needed, bearable: most }) => [
    needed.wholeBits,
    ...(most === null ? [] : [most.wholeBits]),
  ]);
  // Half a bit does not exist.
  const bits = range(
    Math.max(0, Math.min(...found) - BITS_BELOW),
    Math.max(...found) + BITS_ABOVE + 1,
  );
  const x = numberAxis('difficulty (bits)', bits, { isLogarithmic: false });
  const needed = reports.map(
    (report) => `${report.needed.wholeBits} at advantage ${factorOf(report)}`,
  );
  const chart: LineChart = {
    type: 'lines',
    kind: 'win-probability',
    name: 'design',
    title: `P(${title}) and time to join against difficulty`,
    notes: [
      `bits that are needed: ${needed.join(', ')}`,
      bearable === null
        ? 'honest nodes have no time for one candidate'
        : `bits that honest nodes can afford: ${bearable.wholeBits} (${bearable.realBits.toFixed(2)})`,
    ],
    x,
    panels: [probabilityPanel(reports, bits), joinPanel(reports, bits)],
    legend: {
      mark: 'sampled runs',
      bar: intervalLabel(firstChecked(reports)?.confidence ?? DEFAULT_CONFIDENCE),
    },
  };
  return { chart, x };
}

const DEFAULT_CONFIDENCE = 0.95;

function probabilityPanel(reports: readonly DesignReport[], xs: readonly number[]): Panel {
  const { request } = firstOf(reports);
  const { probability, title } = questionFor(request.question);
  const whole = reports.map((report): Series => {
    const { check, adversaryAttempts: attempts } = report;
    const curve = xs.map((difficultyBits) => ({
      x: difficultyBits,
      y: probability({ honest: request.nodes, attempts, difficultyBits }),
    }));
    const label = `advantage ${factorOf(report)}`;
    const marks = marksOf(check);
    return { label, marks, refused: [], samples: [], curve, hasPoints: true, isJoined: false };
  });
  const marks = whole.flatMap((series) => series.marks);
  const y = probabilityAxis(`P(${title})`, {
    values: [request.epsilon, ...marks.map((mark) => mark.y)],
    ends: marks.flatMap(({ interval }) => interval ?? []),
    theory: whole.flatMap(({ curve }) => curve.map((point) => point.y)),
  });
  const series = whole.map((each) => ({ ...each, curve: visiblePart(each, y) }));
  const levels = [{ label: epsilonLabel(request.epsilon), value: request.epsilon }];
  return { y, series, references: [], levels };
}

function marksOf(check: DesignReport['check']): readonly Mark[] {
  if (check === null) return [];
  const { difficultyBits, frequency, interval, runs, wins } = check;
  const tooltip = `${wins} of ${runs} sampled runs at ${difficultyBits} bits`;
  return [{ x: difficultyBits, y: frequency, interval, tooltip }];
}

/** The time of one node at each whole number of bits: it does not depend on the advantage. */
function joinPanel(reports: readonly DesignReport[], bits: readonly number[]): Panel {
  const { rate, joinTime, joinQuantile } = firstOf(reports).request;
  const references = [...new Set([0.5, 0.95, joinQuantile])]
    .toSorted((one, other) => one - other)
    .map((quantile) => ({
      label: `${Number((100 * quantile).toPrecision(6))} %`,
      hasPoints: true,
      points: bits.map((x) => ({
        x,
        y: slowestQuantile(2 ** -x, { nodes: 1, quantile }) / rate,
      })),
    }));
  const values = references.flatMap(({ points }) => points.map(({ y }) => y));
  const y = numberAxis('time of an honest node to join (s)', [...values, joinTime], {
    isLogarithmic: true,
  });
  const accepted = `${Number(joinTime.toPrecision(4))} s accepted`;
  return { y, series: [], references, levels: [{ label: accepted, value: joinTime }] };
}

function factorOf({ request }: DesignReport): string {
  return String(Number(request.advantage.toPrecision(6)));
}

function firstChecked(reports: readonly DesignReport[]): DesignReport['check'] {
  return reports.find(({ check }) => check !== null)?.check ?? null;
}

function firstOf(reports: readonly DesignReport[]): DesignReport {
  const [first] = reports;
  if (first === undefined) throw new TypeError('"reports" expected at least one, got none');
  return first;
}
