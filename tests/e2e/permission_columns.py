"""The columns of the permission table (permission_rules.py): who a rule may name."""

from dataclasses import dataclass
from typing import NamedTuple

GLOBAL_ROLES = ("viewer", "annotator", "reviewer", "project_admin", "super_admin")
PROJECT_COLUMNS = ("viewer", "annotator", "reviewer", "project_admin", "owner", "super_admin")
DATASET_WHO = ("creator", "member_of_linked_project", "super_admin")


@dataclass(frozen=True)
class Anyone:
    """No credentials needed."""


@dataclass(frozen=True)
class SignedIn:
    """Any signed-in active user, for their own things or filtered to what they may see."""


@dataclass(frozen=True)
class Globals:
    """The global roles that may call, whatever project they are in."""

    roles: tuple[str, ...]


@dataclass(frozen=True)
class Project:
    """The columns of the effective project role that may call."""

    columns: tuple[str, ...]


@dataclass(frozen=True)
class Dataset:
    """Who may call, by their relation to the dataset."""

    who: tuple[str, ...]


@dataclass(frozen=True)
class OwnerOfIt:
    """Only the user whom the thing belongs to, and the global roles in `also`."""

    also: tuple[str, ...] = ("super_admin",)


Callers = Anyone | SignedIn | Globals | Project | Dataset | OwnerOfIt


def known(names: tuple[str, ...], allowed: tuple[str, ...]) -> tuple[str, ...]:
    for name in names:
        if name not in allowed:
            raise ValueError(f"{name!r} is none of {allowed}")
    return names


def globals_(*roles: str) -> Globals:
    return Globals(known(roles, GLOBAL_ROLES))


def project(*columns: str) -> Project:
    return Project(known(columns, PROJECT_COLUMNS))


def dataset(*who: str) -> Dataset:
    return Dataset(known(who, DATASET_WHO))


ANYONE, SIGNED_IN, OWNER_OF_IT = Anyone(), SignedIn(), OwnerOfIt

ADMIN_ROLES = globals_("project_admin", "super_admin")
SUPER_ADMIN = globals_("super_admin")

# The table "Who may do what" (decisions 2), from "read project" downwards.
READERS = project("viewer", "annotator", "reviewer", "project_admin", "owner", "super_admin")
ANNOTATORS = project("annotator", "reviewer", "project_admin", "owner", "super_admin")
REVIEWERS = project("reviewer", "project_admin", "owner", "super_admin")
PROJECT_ADMINS = project("project_admin", "owner", "super_admin")
OWNERS = project("owner", "super_admin")
SUPER_ADMIN_OF_PROJECT = project("super_admin")
DATASET_READERS = dataset("creator", "member_of_linked_project", "super_admin")
DATASET_CHANGERS = dataset("creator", "super_admin")
