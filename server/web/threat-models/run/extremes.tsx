/**
 * @module
 * The extreme runs of a model by their seeds.
 */

interface ExtremesProps {
  readonly document: unknown;
  readonly runs: number;
  readonly query: Readonly<Record<string, string>>;
}

export function Extremes(_: ExtremesProps) {
  return null;
}
