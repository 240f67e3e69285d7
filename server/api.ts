/**
 * @module
 * Every route under /v1, as one chain. Its type is the type of the API for TypeScript clients
 * (api-client.ts).
 */

import { createMetaRoutes } from './catalogue/meta.ts';
import { createProtocolRoutes } from './catalogue/protocols.ts';
import { createThreatModelRoutes } from './catalogue/threat-models.ts';
import { createIdentityRoutes } from './claims/identities.ts';
import { createRouter } from './contract/router.ts';
import { createElectionRoutes } from './elections/routes/elections.ts';
import { createCalibrationRoutes } from './jobs/calibration/routes.ts';
import { createDesignRoutes } from './jobs/design.ts';
import { createForgeryRoutes } from './jobs/forgeries/routes.ts';
import { createRunRoutes } from './jobs/runs/routes.ts';
import { createSweepRoutes } from './jobs/sweeps/routes.ts';
import type { Services } from './services.ts';

/** The API without its monitoring. */
export function apiRoutes({ elections, jobs, ...services }: Services) {
  const { version, policy, admission, threatModels, lifecycle, onFault, budgets } = services;
  const { runs, sweeps, forgeries, calibration, queue } = jobs;
  const streaming = { lifecycle, onFault, streams: elections.streams };
  return createRouter()
    .route('/', createMetaRoutes({ version, policy, limits: budgets?.limits }))
    .route('/', createIdentityRoutes({ policy, admission }))
    .route('/', createProtocolRoutes())
    .route('/', createElectionRoutes({ elections, policy, admission, lifecycle, onFault }))
    .route('/', createThreatModelRoutes(threatModels))
    .route('/', createRunRoutes({ runs, threatModels, ...streaming }))
    .route('/', createSweepRoutes({ sweeps, threatModels, ...streaming }))
    .route('/', createForgeryRoutes({ forgeries, policy, ...streaming }))
    .route('/', createDesignRoutes())
    .route('/', createCalibrationRoutes({ calibration, queue }));
}
