/**
 * @module
 * Reads the worlds of a check by their addresses. A world never changes, so that those that were read are kept.
 */

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

import { answerOf, api } from '../api/client.ts';
import { asksForSignIn } from '../shell/sign-in.tsx';
import type { CheckRequest } from './request.ts';
import type { World } from './world.tsx';

interface ReadWorld {
  /** The last world that was read; null before the first. */
  readonly world: World | null;
  readonly error: unknown;
}

const WORLDS_KEPT_MAX = 1_000;
const kept = new Map<string, World>();

/** The world at an address, while the component is shown. Until it is read, the world before it is shown. */
export function useWorld(request: CheckRequest | null, address: readonly number[]): ReadWorld {
  const read = useSignal<ReadWorld>({ world: null, error: null });
  const key = JSON.stringify([request, address]);
  useEffect(() => {
    if (request === null) return undefined;
    let isCurrent = true;
    readWorld(key, request, address).then(
      (world) => {
        if (isCurrent) read.value = { world, error: null };
      },
      (error: unknown) => {
        if (isCurrent && !asksForSignIn(error)) read.value = { ...read.value, error };
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [key]);
  return read.value;
}

async function readWorld(
  key: string,
  { maxStates: _maxStates, walks: _walks, ...request }: CheckRequest,
  address: readonly number[],
): Promise<World> {
  const known = kept.get(key);
  if (known !== undefined) return known;
  const body = { ...request, address: [...address] };
  const world = await answerOf(api.POST('/v1/checks/worlds', { body }));
  if (kept.size >= WORLDS_KEPT_MAX) kept.clear();
  kept.set(key, world);
  return world;
}
