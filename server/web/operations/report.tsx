/**
 * @module
 * The report of an operation as a page: the same blocks as in a terminal, and its chart.
 */

import { useSignal } from '@preact/signals';

import type { Block, Report } from '../../../src/operations/report.ts';
import { Picture } from '../parts/picture.tsx';
import { Scrolling } from '../parts/scrolling.tsx';
import { TableHead } from '../parts/table-head.tsx';
import { Verdict } from '../parts/verdict.tsx';
import { keepInAddress } from '../shell/router.ts';

/** A report as the server sends it. */
export interface ShownReport {
  readonly blocks: Report;
  readonly replay: string;
  readonly picture: string | null;
}

export function ReportView({ report: { blocks, picture } }: { readonly report: ShownReport }) {
  // A verdict is what readers look for.
  const sentence =
    blocks.find((block) => 'verdict' in block && block.verdict !== null) ?? blocks[0];
  const rest = blocks.filter((block) => block !== sentence);
  return (
    <>
      {sentence === undefined ? null : <BlockView block={sentence} />}
      {picture === null ? null : <Chart svg={picture} />}
      {rest.map((block) => (
        <BlockView key={JSON.stringify(block)} block={block} />
      ))}
    </>
  );
}

/** A narrow window shows the whole chart, and scrolls one that is large enough to read its numbers. */
function Chart({ svg }: { readonly svg: string }) {
  const isLarge = useSignal(false);
  const enlarge = () => {
    isLarge.value = !isLarge.value;
  };
  return (
    <div class={isLarge.value ? 'chart large' : 'chart'}>
      <Scrolling label="Chart">
        <Picture svg={svg} label="The chart of this answer" />
      </Scrolling>
      <button type="button" class="enlarge" aria-pressed={isLarge.value} onClick={enlarge}>
        Large chart
      </button>
    </div>
  );
}

function BlockView({ block }: { readonly block: Block }) {
  switch (block.type) {
    case 'sentence':
      return (
        <p class="answer-sentence">
          {block.verdict === null ? (
            block.text
          ) : (
            <Verdict value={block.verdict} word={`${block.verdict.toUpperCase()}:`}>
              {block.text.replace(/^(?:True|False|Unknown): /, '')}
            </Verdict>
          )}
        </p>
      );
    case 'facts':
      return (
        <>
          {block.title === undefined ? null : <h3>{block.title}</h3>}
          <dl class="values">
            {block.rows.map(([name, text]) => (
              <div key={`${name} ${text}`}>
                <dt>{name}</dt>
                <dd>{text}</dd>
              </div>
            ))}
          </dl>
        </>
      );
    case 'table':
      return <TableView {...block} />;
    case 'lines':
      return (
        <section>
          <h2>{block.title}</h2>
          <Scrolling label={block.title}>
            <pre>{block.lines.join('\n')}</pre>
          </Scrolling>
        </section>
      );
    case 'notes':
      return (
        <>
          {block.notes.map((text) => (
            <p key={text}>{text}</p>
          ))}
        </>
      );
    case 'suggestions':
      return <Suggestions {...block} />;
    default:
      return block satisfies never;
  }
}

/** A table of a report. */
export function TableView({ title, columns, rows }: Extract<Block, { type: 'table' }>) {
  const numbers = columns.filter(({ isNumber }) => isNumber === true).map(({ name }) => name);
  return (
    <section>
      <h2>{title}</h2>
      <Scrolling label={title}>
        <table>
          <TableHead columns={columns.map(({ name }) => name)} numbers={numbers} />
          <tbody>
            {rows.map((row) => (
              <tr key={row.join(' ')}>
                {row.map((cell, at) => (
                  <td key={columns[at]?.name} class={classOf(cell, columns[at]?.isNumber === true)}>
                    {cell}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Scrolling>
    </section>
  );
}

/** Numbers are aligned to the right, and sentences need a width at which they can be read. */
function classOf(cell: string, isNumber: boolean): string | undefined {
  if (isNumber) return 'number';
  return cell.length > LONG ? 'long' : undefined;
}

const LONG = 60;

function Suggestions({ title, suggestions }: Extract<Block, { type: 'suggestions' }>) {
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      <ul class="suggestions">
        {suggestions.map(({ text, change }) => (
          <li key={text}>
            {text}{' '}
            {change === null ? null : (
              <button
                type="button"
                aria-label={`Try: ${text}`}
                onClick={() => keepInAddress(change)}
              >
                Try
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
