/** What goes into Cotrace and comes out of it. Units are in the names; what is not known is `null`, never 0. */

/** A resource that jobs compete for. */
export type Resource = "cpu" | "memory" | "disk" | "network";

/** A metric, by the name of its column. */
export type Metric =
  | "cpu_cores"
  | "cpu_user_cores"
  | "cpu_system_cores"
  | "cpu_iowait_cores"
  | "memory_bytes"
  | "page_cache_bytes"
  | "disk_read_bytes_per_second"
  | "disk_write_bytes_per_second"
  | "network_receive_bytes_per_second"
  | "network_transmit_bytes_per_second"
  | "loopback_bytes_per_second"
  | "memory_bandwidth_bytes_per_second"
  | "power_watts"
  | "cache_occupancy_bytes"
  | "context_switches_per_second"
  | "cpu_pressure_ratio"
  | "io_pressure_ratio"
  | "memory_pressure_ratio";

/** What a node has to give. */
export interface Capacity {
  cores: number | null;
  memory_bytes: number | null;
  disk_bytes_per_second: number | null;
  /** In each direction. */
  network_bytes_per_second: number | null;
}

/** What every failure is thrown as. */
export interface Problem {
  /** `usage`, `model`, `forecast`, `no-such-trace`, `no-such-model`, `internal`, or what is wrong with a file, such as `bad-number`. */
  kind: string;
  message: string;
  file: string | null;
  /** From 1. */
  line: number | null;
  column: string | null;
  /** From 0, where there are no lines. */
  byte: number | null;
  /** What to do about it. */
  hint: string | null;
  /** For `several`: what there is to choose from; `ReadOptions.subject` names one. */
  choices: string[];
  /** For `not-a-trace`: each format that was tried, and why it is not that. */
  tried: string[];
  /** What the columns of a table were taken for, where that does not suffice. */
  guess: Guess | null;
  /** Of the worker: what to call the content in `readAgain` and `free`. `null`: it was not kept. */
  handle?: number | null;
}

/** How a file is to be read: what is known of its node, which it may leave open, and what it is. */
export interface ReadOptions extends Partial<Capacity> {
  /** By its name among the formats. Left out: the content says. */
  format?: string | null;
  /** Which container, pod, process or instance, where a file holds several. */
  subject?: string | null;
  /** From one sample to the next, where the file says no times. */
  step_seconds?: number | null;
  /** What the columns of a table are, where no format says it. */
  mapping?: Mapping | null;
}

/** A format that can be read. */
export interface FormatInfo {
  /** For example `sar-csv`. */
  name: string;
  /** What a person calls it. */
  title: string;
}

/** What a column of a table is, with the unit of the file. */
export type Role =
  | { role: "ignored" }
  | { role: "time"; unit: string }
  | { role: "metric"; metric: Metric; unit: string };

/** What the columns of a table are, by their names in the header; those not named are guessed. */
export interface Mapping {
  columns: [header: string, role: Role][];
}

/** What a table's columns were taken for, in the order of the file. */
export interface Guess {
  columns: (Role & {
    header: string;
    /** The first few cells. */
    examples: string[];
    /** Why, in a few words. */
    reason: string;
  })[];
}

/** A job and when it ran, from the run's start. */
export interface JobSpan {
  name: string;
  start_seconds: number | null;
  end_seconds: number | null;
}

/** A trace that was read. */
export interface TraceInfo {
  /** What to call it from now on. */
  handle: number;
  name: string;
  format: string;
  capacity: Capacity;
  /** The number of cores was guessed, because the file does not say it: read it again with `cores`. */
  cores_assumed: boolean;
  /** The time between samples was assumed, because the file says no times: read it again with `step_seconds`. */
  step_assumed: boolean;
  /** What a table's columns were taken for, where no format says it: read it again with a `mapping`. */
  guess: Guess | null;
  /** When it started by the clock of the file, in seconds since 1970. */
  start_unix_seconds: number | null;
  jobs: JobSpan[];
  columns: ColumnInfo[];
  /** CPU in busy cores over the run, in few points. */
  sparkline: (number | null)[];
  health: Health;
}

/** A series of a trace. */
export interface ColumnInfo {
  metric: Metric;
  /** `null`: the whole node. */
  job: string | null;
  mean: number | null;
  peak: number | null;
  missing_ratio: number;
  /** Where the values came from, in words. */
  provenance: string;
}

/** How good a trace is. */
export interface Health {
  status: "ok" | "warnings" | "unusable";
  samples: number;
  duration_seconds: number;
  /** Median time between samples. */
  step_seconds: number;
  jitter_ratio: number;
  gap_seconds: number;
  /** The worst first. */
  findings: Finding[];
  /** The part to cut the trace to, where it was recorded for longer than the job ran. */
  suggestion: BusyStretch | null;
}

/** The stretch of a longer file in which the job ran. */
export interface BusyStretch {
  /** In seconds from the trace's start. */
  from_seconds: number;
  to_seconds: number;
  /** How many stretches of about this much work there are: the file may hold several runs. */
  stretches: number;
  /** Busy cores in it, on average. */
  cpu_cores: number | null;
  /** Busy cores, and bytes of disk and network per second, before and after it. */
  idle_cpu_cores: number | null;
  idle_bytes_per_second: number | null;
  /** Why it is thought to be the job, in words. */
  reason: string;
}

/** Something to know about a trace. */
export interface Finding {
  kind: string;
  severity: "info" | "warning" | "unusable";
  message: string;
  hint: string;
  place: { column: string | null; from_seconds: number; to_seconds: number } | null;
}

/** A measured run on an even grid. Its time counts from the first job's start. */
export interface Measured {
  step_seconds: number;
  metrics: Partial<Record<Metric, (number | null)[]>>;
  jobs: JobSpan[];
}

/** A trace over time in few points. Its time counts from the run's start. */
export interface Overview {
  step_seconds: number;
  /** The last point may speak of less than a step. */
  duration_seconds: number;
  metrics: Partial<Record<Metric, (number | null)[]>>;
}

/** Which model made a forecast. */
export interface ModelName {
  name: string;
  version: string;
  /** Mean absolute slowdown error, in points, on measured co-runs with jobs it had never seen. */
  unseen_jobs_slowdown_points?: number | null;
}

/** A loaded model. */
export interface ModelInfo extends ModelName {
  unseen_jobs_slowdown_points: number | null;
  /** The data set it has learned from. */
  data: string | null;
  /** Pairs of jobs of that set, each in alphabetical order, that it has not learned from. */
  held_out_pairs: [string, string][];
}

/** A job to forecast. */
export interface JobRequest {
  handle: number;
  /** What the forecast shall call it; otherwise as the trace is called. */
  name?: string | null;
  /** When it starts, from the first job's start; 0 if left out. */
  offset_seconds?: number;
  /** How many times as much it has to do as in its trace: it uses the same for so many times as long. 1 if left out. */
  size?: number;
}

/** The forecast of a co-run, version 1. Series are `[time]`: entry `k` is the mean over the step from `time_seconds[k]`. */
export interface Forecast {
  cotrace_forecast: 1;
  step_seconds: number;
  time_seconds: number[];
  metrics: Partial<Record<Metric, MetricForecast>>;
  jobs: JobForecast[];
  /** First start to last end. */
  makespan_seconds: number;
  /** One after the other. */
  sequential_seconds: number;
  /** `null`: memory or its capacity is unknown. */
  memory_fits: { probability: number } | null;
  distance: { score: number; verdict: "near" | "edge" | "far" };
  model: ModelName;
  warnings: string[];
}

/** A metric of the node. */
export interface MetricForecast {
  unit: string;
  capacity: number | null;
  /** Part of `total` that is there before any job. */
  background: number;
  total: number[];
  /** Edges of the 90 % band. */
  lower: number[];
  upper: number[];
  /** With `background` these add up to `total`. */
  jobs: { name: string; contribution: number[] }[];
  /** The traces added up, clipped at capacity. */
  naive_sum: number[];
}

/** A job of the co-run. */
export interface JobForecast {
  name: string;
  offset_seconds: number;
  solo_seconds: number;
  /** From the first job's start. */
  finish_seconds: number;
  /** Co-run duration / solo duration. */
  slowdown: number;
  /** 90 %. */
  slowdown_interval: [number, number];
  /** When resources were short for it. */
  limits: { from_seconds: number; to_seconds: number; resource: Resource; share: number }[];
}
