//! A header's name as words: `rxKBps`, `rx KB/s` and `net_rx_kb_per_second` say the same.

pub(super) use super::vocabulary::Said;
use super::vocabulary::{CASED_UNITS, COMPOUNDS, MEANINGS, UNITS};

/// What a name says.
#[derive(Clone, Debug, Default, PartialEq)]
#[allow(clippy::struct_field_names)]
pub(super) struct Words {
    /// Its words in lower case, those of the same meaning made one, without units and devices.
    pub(super) words: Vec<&'static str>,
    /// How many of its words are not known here.
    pub(super) unknown: usize,
    pub(super) unit: Option<Said>,
    /// Whether it says `/s` or the like.
    pub(super) is_rate: bool,
    /// Whether it says that it counts up.
    pub(super) is_total: bool,
    /// `eth0`, `sda`, `cpu3`.
    pub(super) device: Option<String>,
    /// Everything but the device: columns of devices have it in common.
    pub(super) key: String,
}

impl Words {
    pub(super) fn has(&self, word: &str) -> bool {
        self.words.contains(&word)
    }

    pub(super) fn any(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.has(word))
    }

    /// Whether it has no other words than these.
    pub(super) fn only(&self, words: &[&str]) -> bool {
        self.unknown == 0 && self.words.iter().all(|word| words.contains(word))
    }
}

fn unit(token: &str) -> Option<(Said, bool)> {
    if let Some((said, rate, _)) = CASED_UNITS.iter().find(|(_, _, names)| names.contains(&token)) {
        return Some((*said, *rate));
    }
    let lower = token.to_ascii_lowercase();
    UNITS.iter().find(|(_, names)| names.contains(&lower.as_str())).map(|(said, _)| (*said, false))
}

/// Cuts a name into words. `/s` is a word, and so is `%`.
fn tokens(name: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let mut token = String::new();
    let chars: Vec<char> = name.chars().take(200).collect();
    for (index, &c) in chars.iter().enumerate() {
        let c = if matches!(c, 'µ' | 'μ') { 'u' } else { c };
        if !c.is_alphanumeric() {
            push(&mut tokens, &mut token);
            if matches!(c, '%' | '/') {
                tokens.push(c.to_string());
            }
            continue;
        }
        let before = token.chars().last();
        let lower_run = chars[index + 1..].iter().take_while(|c| c.is_lowercase()).count();
        // `MBytes`, `KiB` and `rkB` are each one word.
        let is_prefix = matches!(token.as_str(), "K" | "k" | "M" | "G")
            || (lower_run < 3 && token.ends_with(['k', 'K', 'M', 'G', 'i']));
        let is_prefix = is_prefix && c == 'B';
        let hump = c.is_uppercase()
            && !is_prefix
            && before.is_some_and(|before| {
                before.is_lowercase() && token.len() > 1
                    || before.is_uppercase() && lower_run >= 3
                    || before.is_ascii_digit() && lower_run >= 1
            });
        if hump {
            push(&mut tokens, &mut token);
        }
        token.push(c);
    }
    push(&mut tokens, &mut token);
    // `/s`, `per second`, `p/s`.
    let mut out: Vec<String> = Vec::new();
    let mut iter = tokens.into_iter().peekable();
    while let Some(token) = iter.next() {
        if token == "/" || token.eq_ignore_ascii_case("per") {
            if let Some(next) = iter.peek() {
                let next = next.to_ascii_lowercase();
                if matches!(next.as_str(), "s" | "sec" | "second" | "seconds") {
                    iter.next();
                    out.push("/s".to_owned());
                }
            }
            continue;
        }
        out.push(token);
    }
    out
}

fn push(tokens: &mut Vec<String>, token: &mut String) {
    if !token.is_empty() {
        tokens.push(std::mem::take(token));
    }
}

/// The device that a word names, and what kind of thing that is.
fn device(token: &str) -> Option<&'static str> {
    let numbered = |prefixes: &[&str]| {
        prefixes.iter().any(|prefix| {
            token.strip_prefix(prefix).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
        })
    };
    let letters = token.trim_end_matches(|c: char| c.is_ascii_digit());
    if matches!(token, "lo" | "lo0") {
        Some("loopback")
    } else if numbered(&[
        "eth", "eno", "ens", "enp", "en", "wlan", "wlp", "ib", "bond", "veth", "docker", "br", "em",
    ]) {
        Some("net")
    } else if numbered(&["nvme", "mmcblk", "dm", "md", "disk", "loop", "hdisk"])
        || (["sd", "vd", "hd", "xvd"]
            .iter()
            .any(|prefix| letters.strip_prefix(prefix).is_some_and(|rest| rest.len() == 1)))
    {
        Some("disk")
    } else if numbered(&["cpu", "core", "processor"]) {
        Some("cpu")
    } else {
        None
    }
}

/// What a header's name says.
pub(super) fn words(name: &str) -> Words {
    let mut found = Words::default();
    let (name, instance) = without_instance(name);
    if let Some(instance) = instance {
        found.device = Some(instance.to_owned());
    }
    let mut rest = tokens(&name);
    rest.reverse();
    let mut before = String::new();
    let mut compounds = 0;
    while let Some(token) = rest.pop() {
        let lower = token.to_ascii_lowercase();
        if compounds < 8
            && let Some((_, meaning)) = COMPOUNDS.iter().find(|(compound, _)| *compound == lower)
        {
            compounds += 1;
            rest.extend(meaning.split(' ').rev().map(str::to_owned));
            continue;
        }
        if lower == "/s" {
            found.is_rate = true;
        } else if let Some(kind) = device(&lower) {
            found.device = Some(token.clone());
            found.add(kind);
            before = lower;
            continue;
        } else if !before.is_empty()
            && lower.bytes().all(|byte| byte.is_ascii_digit())
            && matches!(before.as_str(), "cpu" | "core" | "disk")
        {
            // `cpu_3`
            found.device = Some(format!("{before}{lower}"));
            continue;
        } else if let Some((unit, is_rate)) = unit(&token).filter(|(unit, _)| !found.is_kept(*unit, &lower)) {
            found.unit = Some(unit);
            found.is_rate |= is_rate;
        } else {
            found.is_total |=
                matches!(lower.as_str(), "total" | "counter" | "cumulative" | "cum" | "accumulated");
            let mut known = false;
            for (meaning, words) in MEANINGS {
                if words.contains(&lower.as_str()) {
                    found.add(meaning);
                    known = true;
                }
            }
            found.unknown += usize::from(!known && lower.parse::<f64>().is_err());
        }
        found.key.push_str(&lower);
        found.key.push(' ');
        before = lower;
    }
    found
}

impl Words {
    fn add(&mut self, word: &'static str) {
        if !self.has(word) || word == "system" {
            self.words.push(word);
        }
    }

    /// A word that looks like a unit but isn't one there: `% of all cores` is a percentage, `bytes/s` no time.
    fn is_kept(&self, unit: Said, lower: &str) -> bool {
        let is_time =
            matches!(unit, Said::Seconds | Said::Milliseconds | Said::Microseconds | Said::Nanoseconds);
        self.unit.is_some() && (unit == Said::Cores || is_time || lower == "share")
    }
}

/// Windows' performance counters are `\\HOST\Object(instance)\Counter`. The name without host and instance.
fn without_instance(name: &str) -> (String, Option<&str>) {
    let Some((_, path)) = name.strip_prefix(r"\\").and_then(|rest| rest.split_once('\\')) else {
        return (name.to_owned(), None);
    };
    let Some((object, counter)) = path.rsplit_once('\\') else { return (path.to_owned(), None) };
    match object.split_once('(') {
        Some((object, instance)) => {
            (format!("{object} {counter}"), Some(instance.strip_suffix(')').unwrap_or(instance)))
        }
        None => (format!("{object} {counter}"), None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_cut_into_words() {
        let cases: &[(&str, &[&str], Option<Said>, bool)] = &[
            ("CPU (%)", &["cpu"], Some(Said::Percent), false),
            ("cpuUsagePercent", &["cpu", "used"], Some(Said::Percent), false),
            ("mem_used_mb", &["mem", "used"], Some(Said::Megabytes), false),
            ("RSSBytes", &["rss"], Some(Said::Bytes), false),
            ("rx KB/s", &["rx"], Some(Said::Kilobytes), true),
            ("rxKBps", &["rx"], Some(Said::Kilobytes), true),
            ("net_rx_kbps", &["net", "rx"], Some(Said::Kilobits), true),
            ("rx Mb/s", &["rx"], Some(Said::Megabits), true),
            ("rx mb/s", &["rx"], Some(Said::Megabytes), true),
            ("disk read [MiB/s]", &["disk", "read"], Some(Said::Megabytes), true),
            ("disk_read_bytes_per_second", &["disk", "read"], Some(Said::Bytes), true),
            ("rkB/s", &["disk", "read"], Some(Said::Kilobytes), true),
            ("usageNanoCores", &["used"], Some(Said::Nanocores), false),
            (r"\\PC\Processor(_Total)\% Processor Time", &["cpu", "time"], Some(Said::Percent), false),
            ("cpu.usage_usec", &["cpu", "used"], Some(Said::Microseconds), false),
            ("I/O wait", &["io", "wait"], None, false),
        ];
        for (name, wanted, unit, is_rate) in cases {
            let found = words(name);
            assert_eq!(
                (found.words.as_slice(), found.unit, found.is_rate),
                (*wanted, *unit, *is_rate),
                "{name}"
            );
        }
        for (name, device) in
            [("eth0 rx", "eth0"), ("sda_read_kb", "sda"), ("CPU3 %", "CPU3"), ("cpu_3", "cpu3")]
        {
            assert_eq!(words(name).device.as_deref(), Some(device), "{name}");
        }
        assert_eq!(words("eth0_rx_bytes").key, words("eth1_rx_bytes").key);
    }
}
