/**
 * @module
 * What an operation needs of the machine that it runs on: threads and clocks. The runtime provides it.
 */

import type { CheckResult } from '../checking/check.ts';
import type { CheckRequest, Limits } from '../checking/check-request.ts';
import type { Forge, ForgeOrder } from '../experiment/attack/population.ts';
import type { ComparisonExtras, PictureCell } from '../experiment/charts/data.ts';
import type { SearchRates, ThreatModel } from '../experiment/document/threat-model.ts';
import type { ElectionPicture } from '../experiment/elections/chart.ts';
import type { Tally } from '../experiment/runs/tally.ts';
import type { SweepOutline } from '../experiment/sweep/plan.ts';
import type { PlainVerifier, SchemeName } from '../identity/keys/scheme.ts';
import type { MiningTask } from '../mining/phases.ts';
import type { MiningProgress, MiningResult } from '../mining/search.ts';
import type { Seed } from '../random.ts';
import type { UsedFile } from '../simulation/report/saved-run.ts';
import type { Begun } from '../simulation/request/election.ts';
import type { MeasuredRate, RatedName } from './advantage/rates.ts';
import type { Calibration } from './calibration.ts';
import type { NamedModel } from './model.ts';
import type { Paper } from './reproduce/paper.ts';

/** How far an operation is. */
export interface OperationProgress {
  /** What it does now, for people. */
  readonly now: string;
  readonly done: number;
  /** Null if it is not known. */
  readonly total: number | null;
  /** Seconds from now within which it most likely ends, if that is known. */
  readonly likelySeconds?: number | undefined;
  /** The other members of the progress of this operation. They are computed when a shell shows them. */
  readonly details?: (() => Readonly<Record<string, unknown>>) | undefined;
}

/** Threads to use, and when to stop. */
export interface Threads {
  readonly threads: number;
  readonly signal: AbortSignal;
}

/** A sweep whose cells use the same seeds. */
export interface AskedSweep extends NamedModel {
  readonly outline: SweepOutline;
  readonly seed: Seed;
  /** The command that computes it again. */
  readonly replay: string;
  /** What its pictures show beside its cells. */
  readonly comparison?: ComparisonExtras;
}

/** How far a search for an identity is. */
export interface MiningStep {
  /** Candidates tested. */
  readonly tested: number;
  readonly wallSeconds: number;
}

/** Threads, limits and progress of a check. */
export interface Exploring extends Threads, Limits {
  readonly onProgress: (progress: OperationProgress) => void;
}

/** Runs of a threat model. */
export interface Experiment {
  readonly model: ThreatModel;
  readonly seed: Seed;
  /** Number of runs. The maximum if `untilWidth` is given. */
  readonly runs: number;
  /** The experiment stops when all intervals are this narrow. The verdict has no effect on that. */
  readonly untilWidth?: number | undefined;
  /** The experiment stops when its verdict is true or false, at looks that are fixed before. */
  readonly untilDecided?: boolean | undefined;
}

/** How far runs are. */
export interface ExperimentProgress {
  readonly done: number;
  readonly total: number;
  /** The runs with the property, for each group of protocols. */
  readonly wins: readonly number[];
  readonly constant: readonly boolean[];
}

/** What became of runs. */
export interface ExperimentResult {
  readonly tally: Tally;
  /** Whether all runs were executed, or enough of them for `untilWidth`. */
  readonly isComplete: boolean;
  /** Whether all intervals are as narrow as `untilWidth`. Null without `untilWidth`. */
  readonly isNarrow: boolean | null;
  /** Number of planned looks of `untilDecided`. 1 without it. */
  readonly looks: number;
  /** For each group of protocols, whether every run is the same. */
  readonly constant: readonly boolean[];
  /** Rates of this machine. Null if the model needs none. */
  readonly rateMeasured: SearchRates;
}

export interface Machine {
  /** The version of the code, on which drawn results depend. */
  codeVersion(): string;
  /** The files of the user that are loaded. */
  usedFiles(): readonly UsedFile[];
  /** The command of these words, which begin with the verb. */
  command(words: readonly string[]): string;
  /** Keeps an election that is over. Without it, no trace is recorded. */
  readonly keepElection?: (election: Begun) => void;
  /** Keeps the runs of elections, from which rows and a picture can be made. */
  readonly keepRuns?: (runs: ElectionPicture) => void;
  /** The threat model of the catalogue with this id. Throws LabError `not_found`. */
  threatModel(id: string): Promise<ThreatModel>;
  /** The published results that come with usurp, in the order of their names, or the one of this name. */
  papers(name?: string): Promise<readonly Paper[]>;
  /** Carries out a check. After an abort the result is capped. */
  check(request: CheckRequest, how: Exploring): Promise<CheckResult>;
  /** Candidates per second of an honest node on these threads. */
  miningRate(scheme: SchemeName, threads: Threads): Promise<number>;
  /** Executes runs of a threat model. After an abort it returns those that were finished. */
  runs(
    asked: Experiment,
    how: Threads & { readonly onProgress: (progress: ExperimentProgress) => void },
  ): Promise<ExperimentResult>;
  /** Computes the cells of a sweep, and keeps its tables if the user named a file. After an abort, cells are missing. */
  sweep(
    asked: AskedSweep,
    how: Threads & { readonly onProgress: (progress: OperationProgress) => void },
  ): Promise<readonly PictureCell[]>;
  /**
   * Carries out a search for identities. A machine that resumes a search takes another task from its file, and returns it.
   */
  mine(
    asked: MiningTask,
    how: Threads & { readonly onProgress: (progress: MiningProgress, task: MiningTask) => void },
  ): Promise<{ readonly task: MiningTask; readonly result: MiningResult }>;
  /** Mines the identities of attacks. */
  forge(
    how: Threads & { readonly onProgress: (order: ForgeOrder, step: MiningStep) => void },
  ): Forge;
  /** Verifies signatures faster than noble. */
  readonly plainVerifier: PlainVerifier;
  /** Measures every search for keys and solutions. */
  calibrate(
    how: Threads & {
      readonly device?: 'gpu' | undefined;
      readonly onProgress: (what: string) => void;
    },
  ): Promise<Calibration>;
  /** Measures the rate of each implementation under all policies, or under `policies`. After an abort, rates are missing. */
  advantage(
    how: Threads & {
      readonly scheme: SchemeName;
      readonly policies?: readonly RatedName[] | undefined;
      readonly device?: 'gpu' | undefined;
      readonly onProgress: (what: string, done: number, total: number) => void;
    },
  ): Promise<readonly MeasuredRate[]>;
  /** Lets an abort arrive during a long computation. */
  pause(): Promise<void>;
}
