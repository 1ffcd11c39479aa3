# SPDX-License-Identifier: Apache-2.0
# sshd: an sshd of a test's own on this machine, read with `.` after tap.bash, and a bundle: the folder that `make bundle`
# makes, with the system's libraries. Skips the test where no sshd can be had.
#   $dir/config   for ssh: hosts near and stranger (whose key is not known)     $dir/bundle  the bundle
#   listen        starts it again; its process is $daemon                       $pids        are ended with the test
#   sshd_more     another one, for host NAME, where programs are kept in $dir/NAME; its process is $daemon
sshd=$(PATH=$PATH:/usr/sbin:/sbin command -v sshd) || skip_all "no sshd (Debian: openssh-server)"
for tool in ssh ssh-keygen sha256sum tar perl sqlite3; do
    command -v $tool >/dev/null || skip_all "no program '$tool'"
done

pids=
ended() { for p in $pids; do kill "$p" 2>/dev/null; done; rm -rf "$dir"; }
trap ended EXIT
ssh-keygen -q -t ed25519 -N '' -f "$dir/host" && ssh-keygen -q -t ed25519 -N '' -f "$dir/key" &&
    ssh-keygen -q -t ed25519 -N '' -f "$dir/stranger" || skip_all "ssh-keygen makes no keys"
cp "$dir/key.pub" "$dir/authorized"
[ "$(id -u)" != 0 ] || mkdir -p /run/sshd
listen() { # starts sshd; its process is $daemon
    "$sshd" -D -e -f "$dir/sshd_config" 2>>"$dir/sshd.log" &
    daemon=$!
    pids="$pids $daemon"
}
for port in 20422 21422 22422 23422 24422; do
    cat >"$dir/sshd_config" <<END
Port $port
ListenAddress 127.0.0.1
HostKey $dir/host
AuthorizedKeysFile $dir/authorized
PidFile none
UsePAM no
StrictModes no
PasswordAuthentication no
KbdInteractiveAuthentication no
END
    cat >"$dir/config" <<END
Host near
  IdentityFile $dir/key
Host stranger
  IdentityFile $dir/stranger
Host near stranger
  HostName 127.0.0.1
  Port $port
Host *
  IdentitiesOnly yes
  UserKnownHostsFile $dir/known
  StrictHostKeyChecking accept-new
  LogLevel ERROR
END
    listen
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        answer=$(ssh -F "$dir/config" -o BatchMode=yes near echo hello 2>"$err") && break
        sleep 0.3
    done
    [ "$answer" = hello ] && break
done
[ "$answer" = hello ] || skip_all "no sshd can be had here: $(head -c 100 "$err")"

mkdir -p "$dir/bundle/bin"
cp "$bin" "$dir/bundle/bin/raingauge"
sed -n "/^cat >\"\$folder\/run\"/,/^RUN/{/^cat/d;/^RUN/d;p}" .ci/bundle >"$dir/bundle/run"
chmod +x "$dir/bundle/run"
sums() { (cd "$1" && find . -type f ! -name SHA256SUMS -print0 | xargs -0 sha256sum >SHA256SUMS); }
sums "$dir/bundle"
sshd_more() { # name
    port=$((port + 1))
    sed -e "s/^Port .*/Port $port/" "$dir/sshd_config" >"$dir/sshd_config.$1"
    echo "SetEnv XDG_CACHE_HOME=$dir/$1" >>"$dir/sshd_config.$1"
    { printf 'Host %s\n  IdentityFile %s\n  HostName 127.0.0.1\n  Port %s\n' "$1" "$dir/key" $port && cat "$dir/config"; } >"$dir/config.new"
    mv "$dir/config.new" "$dir/config"
    "$sshd" -D -e -f "$dir/sshd_config.$1" 2>>"$dir/sshd.log" &
    daemon=$!
    pids="$pids $daemon"
    for _ in $(seq 20); do
        ssh -F "$dir/config" -o BatchMode=yes "$1" true 2>/dev/null && return
        sleep 0.3
    done
    return 1
}
