/**
 * @module
 * This folder contains the view of sweeps: the form of a new one, and one sweep with its progress, charts,
 * table and files.
 */

import './sweeps.css';

import type { ViewProps } from '../shell/views.ts';
import { SweepForm } from './form.tsx';
import { SweepPage } from './sweep-page.tsx';

export function View({ segments: [id], query }: ViewProps) {
  return (
    <div class="sweeps">
      {id === undefined ? (
        <>
          <h1>Sweeps</h1>
          <p>
            A sweep runs a threat model at every point of a grid. Its charts show where the attack
            succeeds and where it fails, beside the closed form where one is known.
          </p>
          <SweepForm query={query} />
        </>
      ) : (
        <SweepPage key={id} id={id} query={query} />
      )}
    </div>
  );
}
