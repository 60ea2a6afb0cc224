//! Plain tables: columns as wide as they must be, figures to the right.

/// Lays out rows, the first being the header. The first column is text, the others are figures.
pub(crate) fn layout(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut out = String::new();
    for row in rows {
        let cells: Vec<String> = row
            .iter()
            .zip(&widths)
            .enumerate()
            .map(
                |(at, (cell, &width))| {
                    if at == 0 { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
                },
            )
            .collect();
        out.push_str(cells.join("  ").trim_end());
        out.push('\n');
    }
    out
}

/// Three significant digits with a decimal prefix: `1.23 G`, `45.6 M`, `789`.
pub(crate) fn scaled(value: f64, unit: &str) -> String {
    let (divisor, prefix) = match value.abs() {
        v if v >= 1e9 => (1e9, "G"),
        v if v >= 1e6 => (1e6, "M"),
        v if v >= 1e3 => (1e3, "k"),
        _ => (1.0, ""),
    };
    let value = value / divisor;
    let digits = match value.abs() {
        v if v >= 100.0 => 0,
        v if v >= 10.0 => 1,
        _ => 2,
    };
    let unit = match unit {
        "bytes" => "B",
        "bytes/s" => "B/s",
        other => other,
    };
    format!("{value:.digits$} {prefix}{unit}")
}
