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
