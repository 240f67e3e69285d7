/**
 * @module
 * The solves of a class as the server reports them. What arrives is shown once a second, so that a class that solves
 * together does not make the page read its tables again for each solve.
 */

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

import type { Schema } from '../api/contract.ts';
import { follow } from '../api/follow.ts';

type Solve = Schema<'SolveEvent'>;
type Line = Solve | Schema<'SolveNotice'>;

export interface Solves {
  /** The last ones, the newest first. */
  readonly solves: readonly Solve[];
  /** Changes with each solve. */
  readonly version: number;
  readonly error: unknown;
}

const SHOWN_MAX = 50;
const SHOWN_EVERY_MS = 1_000;

/** Follows the solves of the class while the component is shown. */
export function useSolves(): Solves {
  const state = useSignal<Solves>({ solves: [], version: 0, error: null });
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    let waiting: readonly Line[] = [];
    let timer: ReturnType<typeof setTimeout> | null = null;
    const show = () => {
      timer = null;
      state.value = withLines(state.value, waiting);
      waiting = [];
    };
    const onLines = (lines: readonly Line[]) => {
      waiting = [...waiting, ...lines];
      timer ??= setTimeout(show, SHOWN_EVERY_MS);
    };
    follow<Line>({ path: '/v1/class/events', after: -1, onLines, signal }).catch((error) => {
      if (!signal.aborted) state.value = { ...state.value, error };
    });
    return () => {
      controller.abort();
      if (timer !== null) clearTimeout(timer);
    };
  }, []);
  return state.value;
}

/** A resync precedes all solves that there are. */
function withLines(before: Solves, lines: readonly Line[]): Solves {
  const start = lines.findLastIndex(({ event }) => event === 'resync');
  const kept = start < 0 ? before.solves : [];
  const fresh = lines.slice(start + 1).filter((line) => line.event === 'solve');
  const solves = [...fresh.toReversed(), ...kept].slice(0, SHOWN_MAX);
  return { ...before, solves, version: before.version + 1 };
}
