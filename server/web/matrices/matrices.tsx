/**
 * @module
 * This folder contains the view of the attack matrix and the fault matrix: what each attack or fault does to each
 * protocol, and for each cell the runs that show it, which open as elections.
 */

import { OperationPage } from '../operations/operations.tsx';
import { hrefOf } from '../shell/router.ts';
import type { ViewProps } from '../shell/views.ts';
import './matrices.css';
import { MatrixJobView } from './matrix-job.tsx';

export function View({ segments: [id], query }: ViewProps) {
  if (id === undefined) {
    const isFault = query.matrix === 'fault';
    return (
      <>
        <p>
          {isFault ? (
            <a href={hrefOf(['matrices'])}>Attacks instead of faults</a>
          ) : (
            <a href={hrefOf(['matrices'], { matrix: 'fault' })}>Faults instead of attacks</a>
          )}
        </p>
        <OperationPage name={isFault ? 'fault-matrix' : 'attack-matrix'} query={query} />
      </>
    );
  }
  return (
    <>
      <p>
        <a href={hrefOf(['matrices'])}>Another matrix</a>
      </p>
      <MatrixJobView key={id} id={id} query={query} />
    </>
  );
}
