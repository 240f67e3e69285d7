/**
 * @module
 * Data of any form, with a name for each value. Lists of objects are tables. All values are shown as text.
 */

import { decimal } from './numbers.ts';
import { Scrolling } from './scrolling.tsx';
import { TableHead } from './table-head.tsx';

/** Items of a list that are shown at most. */
const ITEMS_MAX = 200;
/** Decimals of a number that are shown at most, as significant digits. */
const DIGITS = 4;

/** The values of an object by name. */
export function Values({ data }: { readonly data: object }) {
  const members = Object.entries(data).filter(([, value]) => value !== undefined);
  return (
    <dl class="values">
      {members.map(([name, value]) => (
        <div key={name}>
          <dt>{wordsOf(name)}</dt>
          <dd>
            <Value name={wordsOf(name)} value={value} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

interface ValueProps<Of> {
  readonly name: string;
  readonly value: Of;
}

function Value({ name, value }: ValueProps<unknown>) {
  if (Array.isArray(value)) return <List name={name} value={value} />;
  if (typeof value === 'object' && value !== null) {
    return Object.keys(value).length === 0 ? <>none</> : <Values data={value} />;
  }
  return <>{textOf(value)}</>;
}

function List({ name, value: items }: ValueProps<readonly unknown[]>) {
  if (items.length === 0) return <>none</>;
  const shown = items.slice(0, ITEMS_MAX);
  const rest = items.length - shown.length;
  return (
    <>
      {shown.every(isRecord) ? <Rows name={name} value={shown} /> : shown.map(textOf).join(', ')}
      {rest > 0 ? <p>and {decimal(rest)} more</p> : null}
    </>
  );
}

type Item = Readonly<Record<string, unknown>>;

function Rows({ name: label, value: items }: ValueProps<readonly Item[]>) {
  const columns = [...new Set(items.flatMap(Object.keys))];
  const numbers = columns.filter((name) =>
    items.every((item) => item[name] == null || typeof item[name] === 'number'),
  );
  const classOf = (name: string) => (numbers.includes(name) ? 'number' : undefined);
  return (
    <Scrolling label={label}>
      <table>
        <TableHead columns={columns.map(wordsOf)} numbers={numbers.map(wordsOf)} />
        <tbody>
          {items.map((item, row) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other identity
            <tr key={row}>
              {columns.map((name) => (
                <td key={name} class={classOf(name)}>
                  {textOf(item[name])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scrolling>
  );
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '–';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') {
    // Without spaces between the digits, because values are copied.
    return String(Number.isInteger(value) ? value : Number(value.toPrecision(DIGITS)));
  }
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The words of a name in camelCase, such as "runs done". */
export function wordsOf(name: string): string {
  return name.replace(/([A-Z])/g, ' $1').toLowerCase();
}

function isRecord(value: unknown): value is Item {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
