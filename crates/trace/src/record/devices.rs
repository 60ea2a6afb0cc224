//! Which of a node's devices to add up, so that nothing counts twice: a disk and its partitions, a volume and the
//! disks below it, a bridge and its ports.

use std::collections::HashSet;

/// What a device is to the sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// Hardware, as far as the node knows.
    Physical,
    /// On top of hardware: it repeats what that did.
    Stacked,
    /// A name that says nothing.
    Unknown,
    /// In memory, or a picture of a file: what reaches the hardware shows there.
    Virtual,
}

/// The disks to add up, by index. Those of the best rank that is there; a partition counts where its disk is not.
pub(crate) fn disks(names: &[&str]) -> Vec<usize> {
    let there: HashSet<&str> = names.iter().copied().collect();
    choose(names, |name| match whole_disk(name) {
        Some(whole) if there.contains(whole.as_str()) => None,
        _ => Some(disk_rank(name)),
    })
}

/// The network interfaces to add up, by index. Loopback is never among them.
pub(crate) fn interfaces(names: &[&str]) -> Vec<usize> {
    choose(names, |name| (!is_loopback(name)).then(|| interface_rank(name)))
}

/// Whether an interface is loopback.
pub(crate) fn is_loopback(name: &str) -> bool {
    name == "lo" || name == "lo0" || name.starts_with("Loopback")
}

/// Whether a name is one of those that disks have.
pub(crate) fn is_disk_name(name: &str) -> bool {
    disk_rank(name) != Rank::Unknown
}

/// Whether a name is one of those that network interfaces have, and disks don't.
pub(crate) fn is_interface_name(name: &str) -> bool {
    is_loopback(name) || (!is_disk_name(name) && interface_rank(name) != Rank::Unknown)
}

fn choose(names: &[&str], rank: impl Fn(&str) -> Option<Rank>) -> Vec<usize> {
    let ranks: Vec<Option<Rank>> = names.iter().map(|name| rank(name)).collect();
    let Some(best) = ranks.iter().flatten().min().copied() else {
        return Vec::new();
    };
    (0..names.len()).filter(|&index| ranks[index] == Some(best)).collect()
}

fn disk_rank(name: &str) -> Rank {
    if let Some((major, _)) = major_minor(name) {
        return match major {
            1 | 2 | 7 | 11 => Rank::Virtual,
            9 | 252..=254 => Rank::Stacked,
            _ => Rank::Physical,
        };
    }
    let name = name.strip_prefix("/dev/").unwrap_or(name);
    let starts = |prefixes: &[&str]| prefixes.iter().any(|prefix| numbered(name, prefix));
    if starts(&["loop", "ram", "zram", "sr", "scd", "fd"]) {
        Rank::Virtual
    } else if starts(&["dm-", "md", "drbd", "bcache", "zd"]) || name.starts_with("mapper/") {
        Rank::Stacked
    } else if starts(&["nvme", "mmcblk", "nbd", "hdisk", "rssd", "dasd", "pmem"])
        || ["cciss/", "ida/", "rd/"].iter().any(|prefix| name.starts_with(prefix))
        || ["sd", "hd", "vd", "xvd", "dasd"].iter().any(|prefix| lettered(name, prefix))
    {
        Rank::Physical
    } else {
        Rank::Unknown
    }
}

/// The disk that a partition is on, by its name: `sda` for `sda1`, `nvme0n1` for `nvme0n1p2`, `dev8-0` for `dev8-1`.
fn whole_disk(name: &str) -> Option<String> {
    if let Some((major, minor)) = major_minor(name) {
        return match major {
            // Up to 15 partitions a disk; the numbers above 251 are those of virtual machines' disks, mostly.
            8 | 65..=71 | 252..=254 if minor % 16 != 0 => Some(format!("dev{major}-{}", minor / 16 * 16)),
            259 if minor > 0 => Some("dev259-0".to_owned()),
            _ => None,
        };
    }
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    if stem.len() == name.len() {
        return None;
    }
    // Names that end in a digit themselves have a p before the partition's number.
    if let Some(disk) = stem.strip_suffix('p').filter(|disk| disk.ends_with(|c: char| c.is_ascii_digit())) {
        return Some(disk.to_owned());
    }
    // A path of a disk with several: nvme0c1n1 is one of nvme0n1's.
    if let Some((controller, namespace)) = name.split_once('c').filter(|_| name.starts_with("nvme")) {
        let namespace = namespace.trim_start_matches(|c: char| c.is_ascii_digit());
        return Some(format!("{controller}{namespace}"));
    }
    Some(stem.to_owned())
}

/// `dev8-17`, as sar calls disks whose names it doesn't look up.
fn major_minor(name: &str) -> Option<(u32, u32)> {
    let (major, minor) = name.strip_prefix("dev")?.split_once('-')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

fn interface_rank(name: &str) -> Rank {
    // A VLAN repeats what its interface did.
    if name.contains(['.', '@', ':']) {
        return Rank::Stacked;
    }
    let starts = |prefixes: &[&str]| prefixes.iter().any(|prefix| numbered(name, prefix));
    if ["veth", "docker", "br-", "virbr", "vnet", "cni", "flannel", "cali", "cilium", "lxc", "lxd", "kube"]
        .iter()
        .any(|prefix| name.starts_with(prefix))
        || starts(&[
            "br", "tap", "tun", "dummy", "ifb", "sit", "gre", "gretap", "wg", "ovs", "vxlan", "ip6tnl",
            "tunl",
        ])
    {
        Rank::Virtual
    } else if starts(&["bond", "team"]) {
        Rank::Stacked
    } else if starts(&[
        "eth", "en", "em", "ib", "wlan", "p", "ra", "venet", "hsn", "ens", "eno", "bge", "igb", "ixl",
    ]) || ["enp", "enx", "wl", "ww", "eth", "ens", "eno", "ibs", "ibp"]
        .iter()
        .any(|prefix| name.starts_with(prefix))
    {
        Rank::Physical
    } else {
        Rank::Unknown
    }
}

/// `prefix` and then a digit.
fn numbered(name: &str, prefix: &str) -> bool {
    name.strip_prefix(prefix).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// `prefix`, a letter or two, and then nothing or a number: `sda`, `sdab`, `xvda1`.
fn lettered(name: &str, prefix: &str) -> bool {
    name.strip_prefix(prefix).is_some_and(|rest| {
        let letters = rest.trim_end_matches(|c: char| c.is_ascii_digit());
        (1..=3).contains(&letters.len()) && letters.bytes().all(|byte| byte.is_ascii_lowercase())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_counts_twice() {
        let cases: &[(&[&str], &[&str])] = &[
            (&["sda", "sda1", "sda2", "dm-0", "dm-1", "loop0", "sr0"], &["sda"]),
            (&["nvme0n1", "nvme0n1p1", "nvme1n1", "md0"], &["nvme0n1", "nvme1n1"]),
            (&["nvme0n1", "nvme0c0n1", "nvme0c1n1"], &["nvme0n1"]),
            // A cloud machine may show partitions alone.
            (&["xvda1", "xvdb"], &["xvda1", "xvdb"]),
            (&["vda", "vda1"], &["vda"]),
            (&["sdab", "sdab3", "centos-root", "vg0-home"], &["sdab"]),
            (&["dm-0", "dm-1", "loop3"], &["dm-0", "dm-1"]),
            (&["dev8-0", "dev8-1", "dev8-16", "dev253-0", "dev253-1"], &["dev8-0", "dev8-16"]),
            (&["dev253-0", "dev253-1", "dev253-16"], &["dev253-0", "dev253-16"]),
            (&["mmcblk0", "mmcblk0p1", "zram0"], &["mmcblk0"]),
            (&["cciss/c0d0", "cciss/c0d0p1", "cciss/c0d1", "dm-0"], &["cciss/c0d0", "cciss/c0d1"]),
            (&["disk0", "disk2"], &["disk0", "disk2"]),
            (&["loop0", "loop1"], &["loop0", "loop1"]),
            (&[], &[]),
        ];
        for (names, wanted) in cases {
            let chosen: Vec<&str> = disks(names).into_iter().map(|index| names[index]).collect();
            assert_eq!(chosen, *wanted, "{names:?}");
        }
    }

    #[test]
    fn the_wire_counts_once() {
        let cases: &[(&[&str], &[&str])] = &[
            (&["lo", "eth0", "docker0", "br-12ab", "veth9f1", "eth0.100"], &["eth0"]),
            (&["lo", "bond0", "eno1", "eno2"], &["eno1", "eno2"]),
            (&["bond0", "lo"], &["bond0"]),
            (&["lo"], &[]),
            (&["enp3s0f0", "wlp2s0", "virbr0"], &["enp3s0f0", "wlp2s0"]),
            (&["uplink", "lo", "docker0"], &["uplink"]),
            (&["docker0", "lo"], &["docker0"]),
            (&["ib0", "p1p1", "em1"], &["ib0", "p1p1", "em1"]),
        ];
        for (names, wanted) in cases {
            let chosen: Vec<&str> = interfaces(names).into_iter().map(|index| names[index]).collect();
            assert_eq!(chosen, *wanted, "{names:?}");
        }
    }
}
