# Kafka's program: fetches it, prepares Java to run it. Sourced by deploy/kafka after lib.sh; sets
# `home`, and by need_program `java` and the whole of `java_options`.
# shellcheck shell=bash

version=3.9.1
home=${ANNOLOG_KAFKA_HOME:-${XDG_CACHE_HOME:-${HOME:-/var/tmp}/.cache}/annolog/kafka-$version}
[[ $home == /* ]] || home=$PWD/$home
java=

# A broker has to be there soon on a machine with few cores: the first compiler and the simplest
# collector start fastest. One that runs out of memory ends rather than limps.
java_options=(-Xmx384m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:-UsePerfData -Xshare:auto
  -Xlog:disable -Xlog:all=error:stderr -XX:+ExitOnOutOfMemoryError -Djava.awt.headless=true
  -XX:MaxDirectMemorySize=1g)

unavailable() {
  printf 'error: %s\n' "$*" >&2
  exit "$kafka_unavailable"
}

write_pom() {
  cat <<POM
<project>
  <modelVersion>4.0.0</modelVersion>
  <groupId>annolog</groupId>
  <artifactId>kafka-program</artifactId>
  <version>1</version>
  <dependencies>
    <dependency>
      <groupId>org.apache.kafka</groupId>
      <artifactId>kafka_2.13</artifactId>
      <version>$version</version>
    </dependency>
    <dependency>
      <groupId>org.apache.kafka</groupId>
      <artifactId>kafka-tools</artifactId>
      <version>$version</version>
      <exclusions>
        <exclusion>
          <groupId>org.apache.kafka</groupId>
          <artifactId>connect-runtime</artifactId>
        </exclusion>
      </exclusions>
    </dependency>
  </dependencies>
</project>
POM
}

has_program() { [[ -f $home/kafka_2.13-$version.jar && -f $home/kafka-tools-$version.jar ]]; }

# Made beside its place and then moved: an interruption leaves no half program.
fetch_program() {
  local fresh=$home.new reason
  [[ ! -e $home ]] || unavailable "no Kafka $version in $home: name another ANNOLOG_KAFKA_HOME"
  command -v mvn >/dev/null || unavailable "Maven is missing: run deploy/setup kafka"
  say "fetching Kafka $version ($home)" >&2
  rm -rf -- "$fresh"
  mkdir -- "$fresh"
  write_pom >"$fresh/pom.xml"
  if ! mvn -B -q -Dstyle.color=never -f "$fresh/pom.xml" dependency:copy-dependencies \
    -DincludeScope=runtime "-DoutputDirectory=$fresh" >"$fresh/maven.log" 2>&1 </dev/null; then
    reason=$(sed -n '/ERROR/{s/.*ERROR\] *//p;q}' "$fresh/maven.log" | cut -c -300)
    unavailable "Kafka $version can't be fetched with Maven: ${reason:-see $fresh/maven.log}"
  fi
  mv -T -- "$fresh" "$home"
  has_program || unavailable "Maven brought no complete Kafka $version; see $home/maven.log"
}

# Java's own image of the classes that a broker loads, taken from one that ran: it halves the time
# of a start. It serves the very Java that made it.
make_archive() (
  program=$root/deploy/kafka
  say "preparing Kafka's classes for quick starts" >&2
  scratch=$(mktemp -d /tmp/annolog-XXXXXX)
  trap '"$program" down --data "$scratch"; rm -rf -- "$scratch"' EXIT
  trap 'exit 130' INT TERM
  ANNOLOG_KAFKA_JAVA="-XX:ArchiveClassesAtExit=$scratch/classes.jsa" \
    "$program" up --data "$scratch" >/dev/null && "$program" down --data "$scratch" &&
    rm -f -- "$home"/classes-*.jsa && mv -- "$scratch/classes.jsa" "$archive"
)

lacks_archive() {
  [[ ! -f $archive && -w $home && ${ANNOLOG_KAFKA_JAVA-} != *ArchiveClassesAtExit* ]]
}

# Sets `java`; the program is there afterwards, and the archive if that can be.
need_program() {
  [[ -z $java ]] || return 0
  java=$(command -v java) || unavailable "Java is missing: run deploy/setup kafka"
  archive=$home/classes-$(cksum <"$java" | cut -d ' ' -f 1).jsa
  if ! has_program || lacks_archive; then
    { mkdir -p -- "$(dirname -- "$home")" && touch -- "$home.lock"; } 2>/dev/null ||
      unavailable "there is no place for Kafka at $home"
    (
      flock 8
      has_program || fetch_program
      ! lacks_archive || make_archive || warn "there is no archive of classes: starts take longer"
    ) 8>"$home.lock" || exit
  fi
  [[ ! -f $archive ]] || java_options+=("-XX:SharedArchiveFile=$archive")
}

run_tool() {
  (($# > 0)) || { usage >&2; exit 2; }
  need_program
  local log_settings='log4j.rootLogger=WARN, e
log4j.appender.e=org.apache.log4j.ConsoleAppender
log4j.appender.e.target=System.err
log4j.appender.e.layout=org.apache.log4j.PatternLayout
log4j.appender.e.layout.ConversionPattern=%d{ISO8601} %-5p %m (%c{2})%n'
  # shellcheck disable=SC2086  # several options in one variable
  exec "$java" "${java_options[@]}" -Xmx256m ${ANNOLOG_KAFKA_JAVA-} -cp "$home/*" \
    -Dlog4j.configuration=file:<(cat <<<"$log_settings") "$@"
}
