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
import { createCalibrationRoutes } from './jobs/calibration.ts';
import { createDesignRoutes } from './jobs/design.ts';
import { FORGERY, withSecret } from './jobs/forgeries/forgery.ts';
import { parseForgeryRequest } from './jobs/forgeries/request.ts';
import { jobRouter } from './jobs/job-routes.ts';
import { parseRunRequest, RUN } from './jobs/run.ts';
import { parseSweepRequest } from './jobs/sweeps/request.ts';
import { SWEEP } from './jobs/sweeps/sweep.ts';
import { createTableRoutes } from './jobs/sweeps/tables.ts';
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
    .route(
      '/',
      jobRouter(RUN, runs, (body) => parseRunRequest(body, threatModels), streaming),
    )
    .route(
      '/',
      jobRouter(SWEEP, sweeps, (body) => parseSweepRequest(body, threatModels), streaming),
    )
    .route('/', createTableRoutes(sweeps))
    .route(
      '/',
      jobRouter(
        FORGERY,
        forgeries,
        (body) => parseForgeryRequest(body, policy),
        streaming,
        withSecret,
      ),
    )
    .route('/', createDesignRoutes())
    .route('/', createCalibrationRoutes(calibration, queue));
}
