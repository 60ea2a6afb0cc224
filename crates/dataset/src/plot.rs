//! What the plots of reports share: an SVG with a light ground of its own, fonts, colours.

use std::error::Error;

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// What is drawn on.
pub type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
/// What drawing gives.
pub type Drawn = Result<(), Box<dyn Error>>;

/// Text and axes.
pub const INK: RGBColor = RGBColor(34, 34, 34);
/// Lines to read values along.
pub const GRID: RGBColor = RGBColor(226, 226, 226);
/// Colours that people who see few colours can tell apart (Okabe and Ito).
pub const COLOURS: [RGBColor; 6] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
];

/// Draws an SVG of a size in pixels.
///
/// # Errors
/// What `draw` or the drawing of its marks says.
pub fn svg(size: (u32, u32), draw: impl FnOnce(&Area<'_>) -> Drawn) -> Result<String, Box<dyn Error>> {
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        area.fill(&WHITE)?;
        draw(&area)?;
        area.present()?;
    }
    Ok(svg)
}

/// Text of so many pixels.
pub fn text(pixels: f64) -> TextStyle<'static> {
    // The library makes text smaller by this factor.
    ("sans-serif", pixels * 1.24).into_font().color(&INK)
}

/// Text of so many pixels that is placed by another point than its upper left.
pub fn text_at(pixels: f64, horizontal: HPos, vertical: VPos) -> TextStyle<'static> {
    text(pixels).pos(Pos::new(horizontal, vertical))
}

/// The colour of a sitting.
pub fn colour(index: usize) -> RGBColor {
    COLOURS[index % COLOURS.len()]
}

/// The end of an axis that holds `largest`: a round number a little above it.
pub fn axis_end(largest: f64) -> f64 {
    if !(largest > 0.0 && largest.is_finite()) {
        return 1.0;
    }
    let unit = 10f64.powf(largest.log10().floor());
    let round = [1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0];
    round.into_iter().map(|step| step * unit).find(|end| *end >= largest * 1.02).unwrap_or(15.0 * unit)
}

/// A number on an axis: no more digits than it needs.
pub fn tick(value: f64) -> String {
    let digits = if value.abs() < 0.1 { 4 } else { 2 };
    let text = format!("{value:.digits$}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_on_axes() {
        let ticks = [(0.0, "0"), (-0.0, "0"), (0.005, "0.005"), (0.25, "0.25"), (1.5, "1.5"), (20.0, "20")];
        for (value, wanted) in ticks {
            assert_eq!(tick(value), wanted);
        }
        let ends =
            [(0.0, 1.0), (f64::NAN, 1.0), (0.9, 1.0), (1.9, 2.0), (2.0, 3.0), (84.0, 100.0), (99.0, 150.0)];
        for (largest, wanted) in ends {
            let end = axis_end(largest);
            assert!((end - wanted).abs() < 1e-9 * wanted, "{largest}: {end} is not {wanted}");
        }
    }
}
