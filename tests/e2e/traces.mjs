// Solo traces of made-up jobs, for tests and pictures.

const GIB = 1024 ** 3

/** `rows` seconds of a job on two cores with 8 GiB; `cpu` in cores, the rest in bytes (per second), as means. */
export function soloTrace(name, rows, { cpu, memory, disk }) {
  const lines = [
    '# cotrace-trace 1',
    `# node cores=2 memory_bytes=${8 * GIB} disk_bytes_per_second=200000000 network_bytes_per_second=125000000`,
    `# job name=${name} start_seconds=0 end_seconds=${rows}`,
    'time_seconds,cpu_cores,cpu_iowait_cores,memory_bytes,page_cache_bytes,disk_read_bytes_per_second,' +
      'disk_write_bytes_per_second,network_receive_bytes_per_second,network_transmit_bytes_per_second,' +
      'loopback_bytes_per_second',
  ]
  for (let second = 1; second <= rows; second += 1) {
    const wave = 1 + 0.2 * Math.sin(second / 5)
    const values = [cpu * wave, 0.1, memory, GIB, disk * wave, disk / 4, 0, 0, 0]
    lines.push([second, ...values.map((value) => Number(value.toPrecision(8)))].join(','))
  }
  return `${lines.join('\n')}\n`
}

/** A minute of sorting: mostly CPU. */
export const SORT = soloTrace('sort', 60, { cpu: 1.5, memory: 2 * GIB, disk: 2e7 })

/** Three quarters of a minute of scanning: mostly disk. */
export const SCAN = soloTrace('scan', 45, { cpu: 0.8, memory: GIB, disk: 1.2e8 })

/** `SORT` with a word where line 11 should have a number. */
export const BROKEN = SORT.replace(/^7,[^,]+/m, '7,fast')
export const BROKEN_LINE = 4 + 7

/** Half a minute of nothing, then `SORT`, as when the recording was started too early. */
export const LATE = SORT.replace(/^# job .*\n/m, '').replace(/^(\d+),.*$/gm, (row, second) => {
  const idle = Number(second) === 1 ? Array.from({ length: 30 }, (_, k) => `${k + 1},0.01,0,${GIB},${GIB},0,0,0,0,0\n`) : []
  return `${idle.join('')}${Number(second) + 30}${row.slice(second.length)}`
})

/** What `vmstat 1` prints: no times. */
export const VMSTAT = [
  'procs -----------memory---------- ---swap-- -----io---- -system-- -------cpu-------',
  ' r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st gu',
  ...Array.from({ length: 40 }, (_, k) => {
    const busy = 40 + (k % 20)
    return ` 2  0      0 ${400000 - 1000 * k} 10000 900000    0    0  ${800 + k}  ${1600 + k}  300  500 ${busy}  5 ${95 - busy}  0  0  0`
  }),
  '',
].join('\n')

/** What `docker stats` prints in a loop, with `date`: two containers. */
export const DOCKER = Array.from({ length: 30 }, (_, k) => {
  const row = (id, name, cpu) =>
    `${id}   ${name}    ${cpu}%    ${300 + k}MiB / 15.5GiB   1.93%   ${k}kB / ${k}kB   ${k}MB / ${k}MB   11`
  const seconds = String(k * 2).padStart(2, '0')
  return [
    `Sat Feb 15 23:51:${seconds} UTC 2025`,
    'CONTAINER ID   NAME   CPU %     MEM USAGE / LIMIT   MEM %   NET I/O   BLOCK I/O   PIDS',
    row('3f1d2c4b5a69', 'web', 80 + k),
    row('77aa00bb11cc', 'db', 150 - k),
    '',
  ].join('\n')
}).join('')

/** A table of somebody's own. */
export const TABLE = [
  'date,time,pid,%cpu,%mem,rss,vsz',
  ...Array.from({ length: 40 }, (_, k) => `2025-02-15,21:44:${String(k).padStart(2, '0')},5027,${50 + k},1.0,${16000 + k},32848`),
  '',
].join('\n')

/** No trace at all. */
export const POEM = 'Roses are red,\nviolets are blue.\n'

/** A trace that hardly packs: every value is another one, by its name the same in every run. */
export function noisyTrace(name, rows) {
  let seed = name.charCodeAt(0)
  const next = () => (seed = (seed * 48271) % 2147483647) / 2147483647
  return soloTrace(name, rows, { cpu: 1, memory: GIB, disk: 1e8 }).replace(/^\d+,.*$/gm, (row) => {
    const [time] = row.split(',')
    const values = Array.from({ length: 9 }, (_, metric) => (metric < 2 ? next() : 1e9 * next()).toPrecision(8))
    return [time, ...values].join(',')
  })
}
