// SPDX-License-Identifier: GPL-2.0-or-later
#include "https_server.h"

#include <arpa/inet.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "rig/debian/debian.h"

namespace rig::kernel {
namespace {

namespace fs = std::filesystem;

int free_port() {
  const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  if (fd < 0 || ::bind(fd, reinterpret_cast<sockaddr*>(&address), length) != 0 ||
      ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length) != 0) {
    throw WorkError("no free port");
  }
  ::close(fd);
  return ntohs(address.sin_port);
}

bool listens(int port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  const bool answered = ::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  ::close(fd);
  return answered;
}

// An authority and the server's certificate by it.
void make_certificates(const Scratch& scratch) {
  const auto at = [&](const char* name) { return (scratch / name).string(); };
  const auto openssl = [](std::vector<std::string> words) {
    words.insert(words.begin(), "openssl");
    run_checked({.argv = words});
  };
  openssl({"req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=rig test authority", "-keyout",
           at("ca.key"), "-out", at("ca.pem")});
  openssl({"req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=127.0.0.1", "-keyout", at("key.pem"), "-out",
           at("request.pem")});
  scratch.write("names", "subjectAltName = IP:127.0.0.1\n");
  openssl({"x509", "-req", "-days", "2", "-in", at("request.pem"), "-CA", at("ca.pem"), "-CAkey", at("ca.key"),
           "-CAcreateserial", "-extfile", at("names"), "-out", at("certificate.pem")});
}

std::string configuration(const fs::path& directory, int port) {
  const std::string base = directory.string(), number = std::to_string(port);
  return "daemon off;\nmaster_process off;\npid " + base + "/pid;\nerror_log " + base +
         "/errors;\nevents {}\nhttp {\n" +
         "  log_format line '$request_method $uri $rig_range $status $body_bytes_sent';\n"
         "  map $http_range $rig_range { default $http_range; '' '-'; }\n"
         "  access_log " +
         base +
         "/requests line;\n"
         "  client_body_temp_path " +
         base + "/t1; proxy_temp_path " + base + "/t2; fastcgi_temp_path " + base + "/t3; uwsgi_temp_path " + base +
         "/t4; scgi_temp_path " + base +
         "/t5;\n"
         "  server {\n    listen 127.0.0.1:" +
         number + " ssl;\n    ssl_certificate " + base + "/certificate.pem;\n    ssl_certificate_key " + base +
         "/key.pem;\n"
         "    location /files/ { alias " +
         base +
         "/www/; }\n"
         "    location /whole/ { alias " +
         base +
         "/www/; max_ranges 0; }\n"
         "    location /slow/ { alias " +
         base +
         "/www/; limit_rate 1m; }\n"
         "    location ~ ^/moved/(.*)$ { return 302 https://127.0.0.1:" +
         number +
         "/files/$1; }\n"
         "    location ~ ^/astray/(.*)$ { return 302 http://127.0.0.1:" +
         number +
         "/files/$1; }\n"
         "  }\n}\n";
}

fs::path unpacked_nginx(const fs::path& directory) {
  DebianArchive archive(cache_directory() / "packages", machine_origin().codename);
  unpack_deb(archive.fetch(archive.resolve("nginx")), directory,
             [](const std::string& member) { return member == "/usr/sbin/nginx" || member == "/usr/sbin"; });
  return directory / "usr/sbin/nginx";
}

}  // namespace

std::unique_ptr<HttpsServer> HttpsServer::start(std::string& reason) {
  std::unique_ptr<HttpsServer> server(new HttpsServer());
  const Scratch& scratch = server->scratch_;
  fs::path nginx;
  try {
    nginx = unpacked_nginx(scratch / "nginx");
    const auto version = run({.argv = {nginx.string(), "-v"}});
    if (!version.ok()) throw WorkError("nginx does not run on this host: " + version.err);
  } catch (const Error& error) {
    reason = error.what();
    return nullptr;
  }
  make_certificates(scratch);
  server->port_ = free_port();
  const auto file = scratch.write("nginx.conf", configuration(scratch.path(), server->port_));
  make_directories(scratch / "www");
  const std::string program = nginx.string(), base = scratch.path().string(), errors = (scratch / "errors").string();
  server->process_ = ::fork();
  if (server->process_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::execl(program.c_str(), "nginx", "-p", base.c_str(), "-e", errors.c_str(), "-c", file.c_str(), nullptr);
    ::_exit(127);
  }
  for (int tries = 0; tries < 500; ++tries) {
    if (listens(server->port_)) return server;
    if (::waitpid(server->process_, nullptr, WNOHANG) != 0) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  throw WorkError("nginx does not start: " + (fs::exists(errors) ? read_file(errors) : "it says nothing"));
}

HttpsServer::~HttpsServer() {
  if (process_ <= 0) return;
  ::kill(process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
}

void HttpsServer::serve(const std::string& name, const std::string& bytes) const {
  scratch_.write("www/" + name, bytes);
}

std::string HttpsServer::url(const std::string& way_and_name) const {
  return "https://127.0.0.1:" + std::to_string(port_) + way_and_name;
}

std::string HttpsServer::log() const {
  // A request is logged when it ends; of one that was cut short the server learns a little later.
  return fs::exists(scratch_ / "requests") ? read_file(scratch_ / "requests") : "";
}

}  // namespace rig::kernel
