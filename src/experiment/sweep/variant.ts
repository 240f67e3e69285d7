/**
 * @module
 * A model as its differences from the document that it was made of, and cells that keep no more of
 * theirs. A sweep has a hundred thousand cells; a whole model took 25 kB of each, and 0.2 ms to be made
 * from settings again.
 */

import type { ThreatModel } from '../document/threat-model.ts';
import type { AxisValue, SweepCell } from './sweep.ts';

/** Of the part at `path`: it is another, or it has members of these names in this order. */
type Change =
  | { readonly type: 'value'; readonly path: Names; readonly value: unknown }
  | { readonly type: 'members'; readonly path: Names; readonly names: Names };

type Variant = readonly Change[];

type Names = readonly string[];
type Members = Readonly<Record<string, unknown>>;

/** A cell that the document allows; its model is made whenever it is asked for. */
export class VariantCell implements SweepCell {
  readonly refusal = null;
  readonly index: number;
  readonly values: readonly AxisValue[];
  readonly settings: readonly string[];
  readonly digest: string;
  readonly #base: ThreatModel;
  readonly #variant: Variant;

  constructor(
    cell: Pick<SweepCell, 'index' | 'values' | 'settings' | 'digest'>,
    {
      base,
      model,
      store,
    }: {
      readonly base: ThreatModel;
      readonly model: ThreatModel;
      readonly store: VariantStore;
    },
  ) {
    this.index = cell.index;
    this.values = cell.values;
    this.settings = cell.settings;
    this.digest = cell.digest;
    this.#base = base;
    this.#variant = variantOf(base, model, store);
  }

  get model(): ThreatModel {
    return modelOf(this.#base, this.#variant);
  }
}

/** A cell as plain data, for a thread or a fleet. */
export function plainCell(cell: SweepCell): SweepCell {
  const { index, values, settings, model, refusal, digest } = cell;
  return { index, values, settings, model, refusal, digest };
}

/** What differs, such that `modelOf` gives every map its members in the order that they have in `model`. */
export function variantOf(base: ThreatModel, model: ThreatModel, store: VariantStore): Variant {
  const changes: Change[] = [];
  const compare = (before: unknown, after: unknown, path: Names) => {
    if (before === after) return;
    if (!isMap(before) || !isMap(after)) {
      if (JSON.stringify(before) === JSON.stringify(after)) return;
      changes.push(store.shared({ type: 'value', path, value: after }));
      return;
    }
    const names = Object.keys(after);
    if (!isSame(Object.keys(before), names)) {
      changes.push(store.shared({ type: 'members', path, names }));
    }
    for (const name of names) compare(before[name], after[name], [...path, name]);
  };
  compare(base, model, []);
  return changes;
}

/** The model again; whatever does not differ is the document's own. */
export function modelOf(base: ThreatModel, variant: Variant): ThreatModel {
  let model: unknown = base;
  for (const change of variant) model = changed(model, change.path, change);
  // It equals the model that the variant was made from, which was validated.
  return model as ThreatModel;
}

/** Changes once each: cells have most of theirs in common. */
export class VariantStore {
  readonly #changes = new Map<string, Change>();

  shared(change: Change): Change {
    const key = JSON.stringify(change);
    const known = this.#changes.get(key) ?? change;
    this.#changes.set(key, known);
    return known;
  }
}

function changed(part: unknown, path: Names, change: Change): unknown {
  const [name, ...rest] = path;
  const members = isMap(part) ? part : {};
  if (name !== undefined) return { ...members, [name]: changed(members[name], rest, change) };
  if (change.type === 'value') return change.value;
  return Object.fromEntries(change.names.map((each) => [each, members[each]]));
}

function isSame(left: Names, right: Names): boolean {
  return left.length === right.length && left.every((name, at) => name === right[at]);
}

function isMap(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
