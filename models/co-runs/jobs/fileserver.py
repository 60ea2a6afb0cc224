"""Serves files over HTTP on the loopback device to two clients that check all they get. Usage: fileserver.py FOLDER ROUNDS

A process serves; two others fetch files of 32 MB, send them back, and make many small requests, a third each. The
server takes a free port. FOLDER is for the files; the amount is ROUNDS times 512 MB and 6000 small requests.
"""

import http.client
import http.server
import os
import random
import socket
import sys
import zlib

FILES, SIZE, BLOCK, SMALL = 8, 32_000_000, 1 << 18, 1500
folder, rounds = sys.argv[1], int(sys.argv[2])


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = BLOCK  # the head of an answer goes out with its body
    disable_nagle_algorithm = True

    def answer(self, length):
        self.send_response(200)
        self.send_header("Content-Length", str(length))
        self.end_headers()

    def do_GET(self):
        with open(os.path.join(folder, os.path.basename(self.path)), "rb") as file:
            size = os.fstat(file.fileno()).st_size
            self.answer(size)
            if size > BLOCK:
                self.wfile.flush()
                self.connection.sendfile(file)
            else:
                self.wfile.write(file.read())

    def do_PUT(self):
        left, check, buffer = int(self.headers["Content-Length"]), 0, memoryview(bytearray(BLOCK))
        while left:
            got = self.rfile.readinto(buffer[: min(left, BLOCK)])
            if not got:
                return
            check = zlib.crc32(buffer[:got], check)
            left -= got
        body = str(check).encode()
        self.answer(len(body))
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


def fetch(connection, name, buffer):
    connection.request("GET", "/" + name)
    answer, check = connection.getresponse(), 0
    while got := answer.readinto(buffer):
        check = zlib.crc32(buffer[:got], check)
    return check


def client(number, port, checks):
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.connect()
    connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    buffer = memoryview(bytearray(BLOCK))
    names = [f"file{index}" for index in range(number, FILES, 2)]
    for _ in range(rounds):
        for name in names:
            assert fetch(connection, name, buffer) == checks[name], name
    print(f"client {number} fetched", flush=True)
    for _ in range(rounds):
        for name in names:
            with open(os.path.join(folder, name), "rb") as file:
                connection.request("PUT", "/" + name, body=file, headers={"Content-Length": str(SIZE)})
            assert int(connection.getresponse().read()) == checks[name], name
    print(f"client {number} sent", flush=True)
    for _ in range(rounds * SMALL * 2):
        assert fetch(connection, "small", buffer) == checks["small"]
    print(f"client {number} asked", flush=True)
    connection.close()


def start(function, *arguments):
    child = os.fork()
    if child == 0:
        status = 1
        try:
            function(*arguments)
            status = 0
        except BaseException as error:
            print("failed:", repr(error), file=sys.stderr, flush=True)
        finally:
            os._exit(status)
    return child


rng = random.Random(13)
checks = {}
for name, size in [(f"file{index}", SIZE) for index in range(FILES)] + [("small", 4096)]:
    data = rng.randbytes(size)
    checks[name] = zlib.crc32(data)
    with open(os.path.join(folder, name), "wb") as file:
        file.write(data)
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
serving = start(server.serve_forever)
clients = [start(client, number, server.server_address[1], checks) for number in range(2)]
results = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in clients]
os.kill(serving, 15)
os.waitpid(serving, 0)
sys.exit(any(results))
