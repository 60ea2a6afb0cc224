//! A small server for static files on this machine, for looking at the page and for testing it.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::args::Args;
use crate::repo::Repo;

const LONGEST_REQUEST: usize = 16 * 1024;
const PORTS_TO_TRY: u16 = 50;

/// What to serve, and where.
pub(crate) struct Options {
    folder: PathBuf,
    /// Begins and ends with a slash.
    base: String,
    port: u16,
    gzip: bool,
}

impl Options {
    pub(crate) fn from_args(args: &mut Args, repo: &Repo) -> Result<Self> {
        let port = match args.value("--port")? {
            None => 8080,
            Some(text) => {
                text.parse().with_context(|| format!("--port takes a number up to 65535, not '{text}'"))?
            }
        };
        let base = args.value("--base")?.unwrap_or_default();
        let base = match base.trim_matches('/') {
            "" => "/".to_string(),
            inner => format!("/{inner}/"),
        };
        let folder = args.value("--dir")?.map_or_else(|| repo.path("dist"), PathBuf::from);
        Ok(Self { folder, base, port, gzip: args.flag("--gzip") })
    }
}

/// Serves until the process is ended.
pub(crate) fn run(options: &Options) -> Result<()> {
    let folder = fs::canonicalize(&options.folder).with_context(|| {
        format!("there is no folder {}; `cargo xtask build` makes dist", options.folder.display())
    })?;
    let listener = listen(options.port)?;
    let address = listener.local_addr().context("the server has no address")?;
    println!("Serving {} on http://{address}{} (Ctrl-C ends it)", folder.display(), options.base);
    for stream in listener.incoming().flatten() {
        let (folder, base, gzip) = (folder.clone(), options.base.clone(), options.gzip);
        // A browser that goes away in the middle of a file is no error of ours.
        thread::spawn(move || answer(stream, &folder, &base, gzip).ok());
    }
    Ok(())
}

/// Listens on the first free port from `port` on.
fn listen(port: u16) -> Result<TcpListener> {
    let last = port.saturating_add(if port == 0 { 0 } else { PORTS_TO_TRY });
    for candidate in port..=last {
        match TcpListener::bind(("127.0.0.1", candidate)) {
            Err(error) if error.kind() == io::ErrorKind::AddrInUse && candidate < last => {}
            result => {
                return result.with_context(|| format!("cannot listen on port {candidate}; try --port 0"));
            }
        }
        println!("Port {candidate} is in use.");
    }
    bail!("ports {port} to {last} are all in use; try --port 0")
}

fn answer(mut stream: TcpStream, folder: &Path, base: &str, gzip: bool) -> io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_secs(10)))?;
    let Some(request) = read_request(&mut stream)? else {
        return respond(&mut stream, "400 Bad Request", &[], b"That was no request.\n", true);
    };
    let mut words = request.split(' ');
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let with_body = match method {
        "GET" => true,
        "HEAD" => false,
        _ => {
            return respond(&mut stream, "405 Method Not Allowed", &[("Allow", "GET, HEAD")], b"", true);
        }
    };
    match locate(folder, base, target) {
        Found::File(path) => match fs::read(&path) {
            Ok(bytes) if gzip && mime(&path) != "application/gzip" => {
                let headers = [("Content-Type", mime(&path)), ("Content-Encoding", "gzip")];
                respond(&mut stream, "200 OK", &headers, &packed(&bytes)?, with_body)
            }
            Ok(bytes) => respond(&mut stream, "200 OK", &[("Content-Type", mime(&path))], &bytes, with_body),
            Err(_) => not_found(&mut stream, base, with_body),
        },
        Found::Elsewhere(location) => {
            respond(&mut stream, "301 Moved Permanently", &[("Location", location.as_str())], b"", with_body)
        }
        Found::Nothing => not_found(&mut stream, base, with_body),
    }
}

/// `bytes` packed. Every browser unpacks that: nobody is asked.
fn packed(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes)?;
    encoder.finish()
}

fn not_found(stream: &mut TcpStream, base: &str, with_body: bool) -> io::Result<()> {
    let text = format!("There is nothing here. The page is at {base}\n");
    respond(
        stream,
        "404 Not Found",
        &[("Content-Type", "text/plain; charset=utf-8")],
        text.as_bytes(),
        with_body,
    )
}

/// Reads up to the end of the headers and returns the first line; `None` if that end does not come.
fn read_request(stream: &mut TcpStream) -> io::Result<Option<String>> {
    let mut request = Vec::new();
    let mut part = [0; 2048];
    while !request.windows(4).any(|end| end == b"\r\n\r\n") {
        let count = stream.read(&mut part)?;
        if count == 0 || request.len() > LONGEST_REQUEST {
            return Ok(None);
        }
        request.extend_from_slice(&part[..count]);
    }
    let text = String::from_utf8_lossy(&request);
    Ok(text.lines().next().map(str::to_string))
}

fn respond(
    stream: &mut TcpStream,
    status: &str,
    headers: &[(&str, &str)],
    body: &[u8],
    with_body: bool,
) -> io::Result<()> {
    let mut head = format!(
        "HTTP/1.1 {status}\r\nContent-Length: {}\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n\
         Connection: close\r\n",
        body.len()
    );
    for (name, value) in headers {
        let _ = write!(head, "{name}: {value}\r\n");
    }
    head.push_str("\r\n");
    stream.write_all(head.as_bytes())?;
    if with_body {
        stream.write_all(body)?;
    }
    stream.flush()
}

#[derive(Debug, PartialEq)]
enum Found {
    File(PathBuf),
    Elsewhere(String),
    Nothing,
}

/// The file that a request's target names. `folder` is canonical; nothing outside it is ever found.
fn locate(folder: &Path, base: &str, target: &str) -> Found {
    let path = target.split(['?', '#']).next().unwrap_or_default();
    let Some(path) = decode(path) else {
        return Found::Nothing;
    };
    if !path.is_empty() && format!("{path}/") == base {
        return Found::Elsewhere(base.to_string());
    }
    let Some(below) = path.strip_prefix(base) else {
        return Found::Nothing;
    };
    if below.split('/').any(|part| part == ".." || part == "." || part.contains(['\\', '\0']))
        || below.starts_with('/')
    {
        return Found::Nothing;
    }
    let mut file = folder.join(below);
    if file.is_dir() {
        if !path.ends_with('/') {
            return Found::Elsewhere(format!("{}/", target.split(['?', '#']).next().unwrap_or_default()));
        }
        file.push("index.html");
    }
    // Links are followed here, so one that leads out of the folder is not served.
    match fs::canonicalize(&file) {
        Ok(real) if real.starts_with(folder) && real.is_file() => Found::File(real),
        _ => Found::Nothing,
    }
}

/// Undoes percent-encoding; `None` if it is broken or not UTF-8.
fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
            bytes.push((digit(rest.next())? * 16 + digit(rest.next())?) as u8);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

fn mime(path: &Path) -> &'static str {
    match path.extension().and_then(|end| end.to_str()).unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "wasm" => "application/wasm",
        "json" | "map" => "application/json",
        "webmanifest" => "application/manifest+json",
        "csv" => "text/csv; charset=utf-8",
        "txt" | "md" | "ts" => "text/plain; charset=utf-8",
        "gz" => "application/gzip",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder `site` to serve, beside a file that must not be.
    fn site(name: &str) -> (PathBuf, PathBuf) {
        let folder = std::env::temp_dir().join(format!("cotrace-xtask-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("site/deep")).unwrap();
        fs::write(folder.join("secret.txt"), "secret").unwrap();
        for file in ["index.html", "a b.js", "deep/index.html", "x.wasm"] {
            fs::write(folder.join("site").join(file), file).unwrap();
        }
        std::os::unix::fs::symlink(folder.join("secret.txt"), folder.join("site/link.txt")).unwrap();
        let folder = fs::canonicalize(folder).unwrap();
        (folder.join("site"), folder)
    }

    #[test]
    fn finds_files_in_the_folder_and_nothing_outside() {
        let (site, all) = site("locate");
        let file = |name: &str| Found::File(site.join(name));
        let cases = [
            ("/", "/", file("index.html")),
            ("/", "/?offset=30#chart", file("index.html")),
            ("/", "/a%20b.js", file("a b.js")),
            ("/", "/deep/", file("deep/index.html")),
            ("/", "/deep", Found::Elsewhere("/deep/".into())),
            ("/some/sub/path/", "/some/sub/path/x.wasm", file("x.wasm")),
            ("/some/sub/path/", "/some/sub/path", Found::Elsewhere("/some/sub/path/".into())),
            ("/some/sub/path/", "/x.wasm", Found::Nothing),
            ("/", "/none.js", Found::Nothing),
            ("/", "/../secret.txt", Found::Nothing),
            ("/", "/%2e%2e/secret.txt", Found::Nothing),
            ("/", "/deep/..%2f..%2fsecret.txt", Found::Nothing),
            ("/", "//etc/passwd", Found::Nothing),
            ("/", "/link.txt", Found::Nothing),
            ("/", "/%zz", Found::Nothing),
            ("/", "/%ff", Found::Nothing),
            ("/", "", Found::Nothing),
        ];
        let wrong: Vec<_> = cases
            .iter()
            .filter(|(base, target, expected)| locate(&site, base, target) != *expected)
            .map(|(base, target, _)| format!("{base} {target}: {:?}", locate(&site, base, target)))
            .collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
        fs::remove_dir_all(all).unwrap();
    }

    #[test]
    fn answers_as_a_browser_expects() {
        let (site, all) = site("answer");
        let listener = listen(0).unwrap();
        let address = listener.local_addr().unwrap();
        let server = thread::spawn(move || {
            for request in 0..5 {
                answer(listener.accept().unwrap().0, &site, "/", request == 3).unwrap();
            }
        });
        let ask = |request: &str| {
            let mut stream = TcpStream::connect(address).unwrap();
            stream.write_all(request.as_bytes()).unwrap();
            let mut text = String::new();
            stream.read_to_string(&mut text).unwrap();
            text
        };
        let wasm = ask("GET /x.wasm HTTP/1.1\r\nHost: x\r\n\r\n");
        assert!(wasm.starts_with("HTTP/1.1 200 OK\r\n") && wasm.ends_with("\r\n\r\nx.wasm"), "{wasm}");
        assert!(wasm.contains("Content-Type: application/wasm\r\n"), "{wasm}");
        assert!(wasm.contains("Cache-Control: no-store\r\n"), "{wasm}");
        let head = ask("HEAD /x.wasm HTTP/1.1\r\n\r\n");
        assert!(head.contains("Content-Length: 6\r\n") && head.ends_with("\r\n\r\n"), "{head}");
        assert!(ask("GET /none HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 404 "));
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(b"GET /x.wasm HTTP/1.1\r\n\r\n").unwrap();
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        let body = bytes.windows(4).position(|end| end == b"\r\n\r\n").unwrap() + 4;
        let mut text = String::new();
        flate2::read::GzDecoder::new(&bytes[body..]).read_to_string(&mut text).unwrap();
        assert_eq!(text, "x.wasm");
        assert!(ask("POST / HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 405 "));
        server.join().unwrap();
        fs::remove_dir_all(all).unwrap();
    }

    #[test]
    fn goes_on_to_the_next_port() {
        let busy = listen(0).unwrap();
        let port = busy.local_addr().unwrap().port();
        assert!(listen(port).unwrap().local_addr().unwrap().port() > port);
    }
}
