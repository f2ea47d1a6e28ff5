// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";

interface IMintable {
    function mint(address to, uint256 amount) external returns (bool);
}

/// Gives development tokens to whoever asks. It holds nothing: it must be a minter of each token, and what the token
/// still allows it to mint is the last of its limits.
contract Faucet is Ownable {
    struct Drip {
        uint128 amount;
        uint128 dailyLimit;
        uint64 cooldownSeconds;
        bool isOpen;
    }

    uint256 private constant SECONDS_PER_DAY = 86_400;

    mapping(address token => Drip) public drips;
    mapping(address token => mapping(address recipient => uint256)) private _availableAt;
    mapping(address token => mapping(uint256 day => uint256)) private _givenOn;

    event DripConfigured(
        address indexed token, uint128 amount, uint128 dailyLimit, uint64 cooldownSeconds, bool isOpen
    );
    event Dripped(address indexed token, address indexed recipient, uint256 amount, address indexed requestedBy);

    error TokenNotOffered(address token);
    error AmountIsZero();
    error DailyLimitBelowAmount(uint256 dailyLimit, uint256 amount);
    error RecipientNotAllowed(address recipient);
    error CoolingDown(address recipient, uint256 availableAt);
    error DailyLimitReached(uint256 remaining, uint256 resetsAt);

    constructor(address owner) Ownable(owner) {}

    /// What one drip of `token` gives, how long a recipient waits for the next, and how much all recipients together may
    /// have between one midnight UTC and the next.
    function configureDrip(address token, uint128 amount, uint128 dailyLimit, uint64 cooldownSeconds)
        external
        onlyOwner
    {
        if (amount == 0) revert AmountIsZero();
        if (dailyLimit < amount) revert DailyLimitBelowAmount(dailyLimit, amount);
        drips[token] = Drip(amount, dailyLimit, cooldownSeconds, true);
        emit DripConfigured(token, amount, dailyLimit, cooldownSeconds, true);
    }

    /// Stops giving `token`. Waiting times are kept for the day it is offered again.
    function closeDrip(address token) external onlyOwner {
        Drip storage offered = drips[token];
        if (!offered.isOpen) revert TokenNotOffered(token);
        offered.isOpen = false;
        emit DripConfigured(token, offered.amount, offered.dailyLimit, offered.cooldownSeconds, false);
    }

    /// Anybody may ask, for anybody; the waiting time is the recipient's.
    function drip(address token, address recipient) external returns (uint256 amount) {
        Drip memory offered = drips[token];
        if (!offered.isOpen) revert TokenNotOffered(token);
        if (recipient == address(0) || recipient == address(this)) revert RecipientNotAllowed(recipient);
        uint256 earliest = _availableAt[token][recipient];
        if (block.timestamp < earliest) revert CoolingDown(recipient, earliest);
        amount = offered.amount;
        uint256 today = block.timestamp / SECONDS_PER_DAY;
        uint256 remaining = _remaining(offered.dailyLimit, _givenOn[token][today]);
        if (amount > remaining) revert DailyLimitReached(remaining, (today + 1) * SECONDS_PER_DAY);

        _availableAt[token][recipient] = block.timestamp + offered.cooldownSeconds;
        _givenOn[token][today] += amount;
        emit Dripped(token, recipient, amount, msg.sender);
        IMintable(token).mint(recipient, amount);
    }

    /// Unix seconds from which `recipient` may have the next drip; 0 if there was none.
    function availableAt(address token, address recipient) external view returns (uint256) {
        return _availableAt[token][recipient];
    }

    /// What may still be given today, in the token's units.
    function remainingToday(address token) external view returns (uint256) {
        Drip memory offered = drips[token];
        if (!offered.isOpen) return 0;
        return _remaining(offered.dailyLimit, _givenOn[token][block.timestamp / SECONDS_PER_DAY]);
    }

    /// The limit may have been lowered below what was given already.
    function _remaining(uint256 limit, uint256 given) private pure returns (uint256) {
        return given < limit ? limit - given : 0;
    }
}
