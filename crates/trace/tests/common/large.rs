//! Files of any length in several formats, the same each time: for measuring time and memory.
#![allow(dead_code)]

use std::fmt::Write;

/// The formats that [`large`] writes.
pub(crate) const FORMATS: &[&str] = &["cotrace-csv", "cotrace-json", "sar-csv", "sar-text", "vmstat"];

/// A file in the format of this name with so many samples, one a second.
pub(crate) fn large(format: &str, samples: usize) -> String {
    let mut figures = Figures(42);
    match format {
        "cotrace-csv" => canonical_csv(samples, &mut figures),
        "cotrace-json" => canonical_json(samples, &mut figures),
        "sar-csv" => sar_csv(samples, &mut figures),
        "sar-text" => sar_text(samples, &mut figures),
        "vmstat" => vmstat(samples, &mut figures),
        _ => panic!("no large file in the format {format}"),
    }
}

/// Whole numbers that look random and are the same each time.
struct Figures(u64);

impl Figures {
    fn below(&mut self, limit: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % u64::from(limit)) as u32
    }

    /// With two decimals, as sar prints.
    fn hundredths(&mut self, limit: u32) -> String {
        let value = self.below(limit * 100);
        format!("{}.{:02}", value / 100, value % 100)
    }

    /// Parts of 100 in hundredths, the last one being what the others leave.
    fn shares<const N: usize>(&mut self) -> [u32; N] {
        let mut left = 10_000;
        let mut shares = [0; N];
        for share in &mut shares[1..] {
            *share = self.below(left / 2 + 1);
            left -= *share;
        }
        shares[0] = left;
        shares.rotate_left(1);
        shares
    }
}

const METRICS: &[(&str, u32)] = &[
    ("cpu_cores", 0),
    ("cpu_user_cores", 0),
    ("cpu_system_cores", 0),
    ("cpu_iowait_cores", 0),
    ("memory_bytes", 4_000_000_000),
    ("page_cache_bytes", 4_000_000_000),
    ("disk_read_bytes_per_second", 200_000_000),
    ("disk_write_bytes_per_second", 200_000_000),
    ("network_receive_bytes_per_second", 100_000_000),
    ("network_transmit_bytes_per_second", 100_000_000),
    ("context_switches_per_second", 20_000),
];

/// A value as the canonical forms have it: whole bytes, or cores with four decimals.
fn value(limit: u32, figures: &mut Figures) -> String {
    match limit {
        0 => f64::from(figures.below(20_000)) / 10_000.0,
        limit => f64::from(figures.below(limit)),
    }
    .to_string()
}

fn canonical_csv(samples: usize, figures: &mut Figures) -> String {
    let mut text = "# cotrace-trace 1\n# node cores=2 memory_bytes=8000000000\ntime_seconds".to_owned();
    for (name, _) in METRICS {
        write!(text, ",{name}").unwrap();
    }
    for sample in 1..=samples {
        write!(text, "\n{sample}").unwrap();
        for (_, limit) in METRICS {
            write!(text, ",{}", value(*limit, figures)).unwrap();
        }
    }
    text.push('\n');
    text
}

fn canonical_json(samples: usize, figures: &mut Figures) -> String {
    let times: Vec<String> = (1..=samples).map(|sample| format!("{sample}.0")).collect();
    let columns: Vec<String> = METRICS
        .iter()
        .map(|(name, limit)| {
            let values: Vec<String> = (0..samples).map(|_| value(*limit, figures)).collect();
            format!("\"{name}\":[{}]", values.join(","))
        })
        .collect();
    format!(
        "{{\"cotrace_trace\":1,\"name\":\"large\",\"node\":{{\"cores\":2.0}},\"jobs\":[],\"time_seconds\":[{}],\
         \"columns\":{{{}}}}}\n",
        times.join(","),
        columns.join(",")
    )
}

/// The time of day of a sample, a second after the one before it.
fn clock(sample: usize) -> String {
    let second = (8 * 3600 + sample) % 86_400;
    format!("{:02}:{:02}:{:02}", second / 3600, second / 60 % 60, second % 60)
}

fn sar_csv(samples: usize, figures: &mut Figures) -> String {
    let mut text = "timestamp,%user,%nice,%system,%iowait,%steal,%idle,tps,rd_sec/s,wr_sec/s,avgrq-sz,avgqu-sz,await,\
                    svctm,%util,tps,rtps,wtps,bread/s,bwrtn/s,runq-sz,plist-sz,ldavg-1,ldavg-5,ldavg-15,kbmemfree,\
                    kbmemused,%memused,kbbuffers,kbcached,kbcommit,%commit,IFACE,rxpck/s,txpck/s,rxkB/s,txkB/s,\
                    rxcmp/s,txcmp/s,rxmcst/s,pswpin/s,pswpout/s,proc/s,cswch/s\n"
        .to_owned();
    for sample in 0..samples {
        text.push_str(&clock(sample));
        for share in figures.shares::<6>() {
            write!(text, ",{}.{:02}", share / 100, share % 100).unwrap();
        }
        for limit in [300, 40_000, 90_000, 100, 5, 20, 5, 100, 300, 100, 200, 40_000, 90_000] {
            write!(text, ",{}", figures.hundredths(limit)).unwrap();
        }
        write!(text, ",{},{},0.50,0.40,0.30", figures.below(8), 200 + figures.below(90)).unwrap();
        let used = 1_000_000 + figures.below(5_000_000);
        write!(text, ",{},{used},{}", 8_000_000 - used, percent(used, 8_000_000)).unwrap();
        write!(text, ",40000,{},{},{},eth0", used / 3, used * 2, percent(used * 2, 8_000_000)).unwrap();
        for limit in [900, 900, 9_000, 9_000, 1, 1, 1, 1, 1, 50, 20_000] {
            write!(text, ",{}", figures.hundredths(limit)).unwrap();
        }
        text.push('\n');
    }
    text
}

fn percent(part: u32, whole: u32) -> String {
    format!("{:.2}", f64::from(part) / f64::from(whole) * 100.0)
}

/// As `sar -u -r -b -d -n DEV -f` prints it: one activity after another.
fn sar_text(samples: usize, figures: &mut Figures) -> String {
    let mut text = "Linux 5.10.0 (node) \t05/01/24 \t_x86_64_\t(2 CPU)\n".to_owned();
    let mut section = |header: &str, devices: &[&str], row: &mut dyn FnMut(&mut String)| {
        write!(text, "\n{}{header}\n", clock(0)).unwrap();
        for sample in 1..=samples {
            for device in devices {
                write!(text, "{}{device:>10}", clock(sample)).unwrap();
                row(&mut text);
                text.push('\n');
            }
        }
    };
    section(
        "        CPU     %user     %nice   %system   %iowait    %steal     %idle",
        &["all"],
        &mut |text| {
            for share in figures.shares::<6>() {
                write!(text, "{:>7}.{:02}", share / 100, share % 100).unwrap();
            }
        },
    );
    section("          tps      rtps      wtps   bread/s   bwrtn/s", &["3.00"], &mut |text| {
        for limit in [100, 200, 40_000, 90_000] {
            write!(text, "{:>10}", figures.hundredths(limit)).unwrap();
        }
    });
    section(
        "    kbmemfree   kbavail kbmemused  %memused kbbuffers  kbcached  kbcommit   %commit  kbactive   kbinact   kbdirty",
        &[""],
        &mut |text| {
            let used = 1_000_000 + figures.below(5_000_000);
            write!(text, "{:>10}{:>10}{used:>10}", 7_000_000 - used, 7_500_000 - used).unwrap();
            write!(text, "{:>10}     40000    900000{:>10}", percent(used, 8_000_000), used * 2).unwrap();
            write!(text, "{:>10}{used:>10}{:>10}       120", percent(used * 2, 8_000_000), used / 2).unwrap();
        },
    );
    section(
        "          DEV       tps     rkB/s     wkB/s     dkB/s   areq-sz    aqu-sz     await     %util",
        &["sda", "sdb"],
        &mut |text| {
            for limit in [300, 40_000, 90_000, 1, 100, 5, 20, 100] {
                write!(text, "{:>10}", figures.hundredths(limit)).unwrap();
            }
        },
    );
    section(
        "        IFACE   rxpck/s   txpck/s    rxkB/s    txkB/s   rxcmp/s   txcmp/s  rxmcst/s   %ifutil",
        &["lo", "eth0"],
        &mut |text| {
            for limit in [900, 900, 9_000, 9_000, 1, 1, 1, 5] {
                write!(text, "{:>10}", figures.hundredths(limit)).unwrap();
            }
        },
    );
    text
}

fn vmstat(samples: usize, figures: &mut Figures) -> String {
    let mut text = String::new();
    for sample in 0..samples {
        if sample % 40 == 0 {
            text.push_str(
                "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----\n \
                 r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n",
            );
        }
        let used = 1_000_000 + figures.below(5_000_000);
        write!(text, " {}  0      0 {} 40000 {}    0    0", figures.below(9), 7_000_000 - used, used / 3)
            .unwrap();
        for limit in [40_000, 90_000, 9_000, 20_000] {
            write!(text, " {:>5}", figures.below(limit)).unwrap();
        }
        let user = figures.below(80);
        writeln!(text, " {user:>2}  5 {:>2}  3  0", 92 - user).unwrap();
    }
    text
}
